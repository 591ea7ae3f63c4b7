-- A disabled user's keys do not work. A limit that is NULL is the one that the settings name.
ALTER TABLE users ADD COLUMN disabled_at_us BIGINT;
ALTER TABLE users ADD COLUMN max_running BIGINT;
ALTER TABLE users ADD COLUMN max_queued BIGINT;
ALTER TABLE users ADD COLUMN storage_quota_bytes BIGINT;
ALTER TABLE users ADD COLUMN audio_minutes_quota BIGINT;

-- What each user gave in, by day since the Unix epoch. Counted when a job is accepted, and kept when it is deleted.
CREATE TABLE usage_by_day (
    user_id  BIGINT NOT NULL REFERENCES users (id),
    day      BIGINT NOT NULL,
    kind     TEXT   NOT NULL,
    jobs     BIGINT NOT NULL,
    audio_ms BIGINT NOT NULL,
    PRIMARY KEY (user_id, day, kind)
);
INSERT INTO usage_by_day (user_id, day, kind, jobs, audio_ms)
    SELECT user_id, created_at_us / 86400000000, kind, COUNT(*),
        CAST(COALESCE(SUM(CASE WHEN state <> 'failed' THEN input_duration_s END), 0) * 1000 AS BIGINT)
    FROM jobs GROUP BY user_id, created_at_us / 86400000000, kind;

-- The size of the files of a result, for the quota. Results from before this column count as nothing until they expire.
ALTER TABLE jobs ADD COLUMN result_bytes BIGINT;
CREATE INDEX jobs_stored_results ON jobs (user_id, result_bytes)
    WHERE result_bytes IS NOT NULL AND results_deleted_at_us IS NULL;
CREATE INDEX jobs_stored_inputs ON jobs (user_id, input_key, input_bytes)
    WHERE input_key IS NOT NULL AND input_deleted_at_us IS NULL;
-- How many jobs of each kind stand where.
CREATE INDEX jobs_by_state ON jobs (user_id, kind, state);

ALTER TABLE voice_models ADD COLUMN package_bytes BIGINT;
-- What an operator says of a voice: whether it may be used, whose it was before it was made public, and whether its
-- title is the operator's rather than the package's.
ALTER TABLE voice_models ADD COLUMN enabled BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE voice_models ADD COLUMN published_from BIGINT;
ALTER TABLE voice_models ADD COLUMN renamed BOOLEAN NOT NULL DEFAULT FALSE;

-- What was done, by whom. Names rather than references: the log outlives what it speaks of.
CREATE TABLE audit_log (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    at_us      BIGINT NOT NULL,
    -- NULL for the server itself.
    actor      TEXT,
    -- NULL on the command line.
    key_id     TEXT,
    request_id TEXT,
    address    TEXT,
    action     TEXT   NOT NULL,
    target     TEXT   NOT NULL,
    -- `ok`, or the status of the answer.
    outcome    TEXT   NOT NULL
);
CREATE INDEX audit_log_by_time ON audit_log (at_us);
CREATE INDEX audit_log_by_actor ON audit_log (actor, id);
CREATE INDEX audit_log_by_action ON audit_log (action, id);
