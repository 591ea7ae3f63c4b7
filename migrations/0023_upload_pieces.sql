-- Uploads whose pieces lie in the file store, so that every server can take the next one.

-- How many bytes have arrived. It grows by whoever knows its value, so that of two pieces for one place only one counts.
ALTER TABLE uploads ADD COLUMN arrived BIGINT NOT NULL DEFAULT 0;
-- Who sends a piece now, until when nobody else does.
ALTER TABLE uploads ADD COLUMN lock_token TEXT;
ALTER TABLE uploads ADD COLUMN locked_until_us BIGINT NOT NULL DEFAULT 0;

-- What has arrived, one behind the other without gaps.
CREATE TABLE upload_pieces (
    upload_id TEXT   NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
    begins_at BIGINT NOT NULL,
    bytes     BIGINT NOT NULL,
    -- The file in the store.
    file_key  TEXT   NOT NULL,
    PRIMARY KEY (upload_id, begins_at)
);
