-- What the claim, the limits, the positions and the figures go by, counted where it changes: triggers keep it, and note when a
-- user was last served.

-- The jobs of a user that workers have.
ALTER TABLE users ADD COLUMN running BIGINT NOT NULL DEFAULT 0;
-- The jobs of a user and kind that wait. A line that is empty stays.
CREATE TABLE lines (
    kind       TEXT   NOT NULL,
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    waiting    BIGINT NOT NULL CHECK (waiting >= 0),
    -- The job with which it began: the first one since none waited.
    began_with BIGINT NOT NULL,
    PRIMARY KEY (kind, user_id)
);
CREATE INDEX lines_by_user ON lines (user_id);

UPDATE users SET running =
    (SELECT COUNT(*) FROM jobs r WHERE r.user_id = users.id AND r.state IN ('running', 'cancelling'));
INSERT INTO lines (kind, user_id, waiting, began_with)
    SELECT kind, user_id, COUNT(*), MIN(id) FROM jobs WHERE state = 'queued' GROUP BY kind, user_id;
