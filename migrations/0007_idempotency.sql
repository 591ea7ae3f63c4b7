-- Requests that are to be done once, however often they are sent. A row without a fingerprint is a reservation: a request
-- that is still being worked on under the token.
CREATE TABLE idempotency_keys (
    user_id       BIGINT NOT NULL REFERENCES users (id),
    -- The name of the operation that was asked for.
    operation     TEXT   NOT NULL,
    key           TEXT   NOT NULL,
    token         TEXT   NOT NULL,
    -- SHA-256 over what was asked, lower-case hex.
    fingerprint   TEXT,
    -- The job that the request made. No foreign key: it may be deleted before this row.
    job_id        BIGINT,
    -- The answer: status, Location header and body.
    status        INTEGER,
    location      TEXT,
    body          TEXT,
    expires_at_us BIGINT NOT NULL,
    PRIMARY KEY (user_id, operation, key)
);
CREATE INDEX idempotency_keys_by_end ON idempotency_keys (expires_at_us);

-- A user's jobs of all kinds in one list.
CREATE INDEX jobs_of_user ON jobs (user_id, id);
