-- Files that arrive in several requests. How much of one has arrived is the size of its file in the data folder.
CREATE TABLE uploads (
    -- Random, so that nobody can guess one.
    id            TEXT   PRIMARY KEY,
    user_id       BIGINT NOT NULL REFERENCES users (id),
    bytes         BIGINT NOT NULL,
    -- What the client says about it, as it was sent.
    metadata      TEXT,
    created_at_us BIGINT NOT NULL,
    expires_at_us BIGINT NOT NULL
);
CREATE INDEX uploads_by_user ON uploads (user_id);
CREATE INDEX uploads_by_expiry ON uploads (expires_at_us);
