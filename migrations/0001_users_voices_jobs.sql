-- Times are microseconds since the Unix epoch. Truth values are BOOLEAN, JSON is TEXT, and every other word means the
-- same in SQLite and PostgreSQL, except AUTOINCREMENT, which keeps SQLite from giving a number twice.

CREATE TABLE users (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    name              TEXT    NOT NULL UNIQUE,
    created_at_us     BIGINT  NOT NULL,
    -- When a job of this user was last claimed: who has waited longest is served first.
    last_served_at_us BIGINT  NOT NULL DEFAULT 0
);

CREATE TABLE api_keys (
    id              TEXT   PRIMARY KEY,
    user_id         BIGINT NOT NULL REFERENCES users (id),
    label           TEXT   NOT NULL,
    -- Words out of read, write and admin, with a space between them.
    scopes          TEXT   NOT NULL,
    -- SHA-256 of the secret part, lower-case hex.
    secret_sha256   TEXT   NOT NULL,
    created_at_us   BIGINT NOT NULL,
    expires_at_us   BIGINT,
    revoked_at_us   BIGINT,
    last_used_at_us BIGINT
);
CREATE INDEX api_keys_by_user ON api_keys (user_id);
CREATE INDEX api_keys_by_age ON api_keys (created_at_us, id);

CREATE TABLE voice_models (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    package_id    TEXT    NOT NULL UNIQUE,
    -- Nobody's voice is everybody's.
    owner_id      BIGINT  REFERENCES users (id),
    title         TEXT    NOT NULL,
    -- The title in lower case by Unicode's rules, which SQL's own functions do not know.
    title_folded  TEXT    NOT NULL,
    -- JSON array of strings, in the package's order.
    tags          TEXT    NOT NULL,
    instrument    BOOLEAN NOT NULL,
    usable        BOOLEAN NOT NULL,
    -- JSON object.
    links         TEXT    NOT NULL,
    created_at_us BIGINT  NOT NULL
);
CREATE INDEX voice_models_by_owner ON voice_models (owner_id, id);

-- The tags again, in lower case, to search by.
CREATE TABLE voice_model_tags (
    tag_folded TEXT   NOT NULL,
    model_id   BIGINT NOT NULL REFERENCES voice_models (id) ON DELETE CASCADE,
    PRIMARY KEY (tag_folded, model_id)
);
CREATE INDEX voice_model_tags_by_model ON voice_model_tags (model_id);

CREATE TABLE jobs (
    id                   INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id              BIGINT  NOT NULL REFERENCES users (id),
    kind                 TEXT    NOT NULL,
    priority             INTEGER NOT NULL DEFAULT 0,
    -- JSON.
    spec                 TEXT    NOT NULL,
    -- JSON object, the client's own notes.
    metadata             TEXT,
    request_id           TEXT    NOT NULL,
    -- No foreign key: the job that was tried again may be forgotten before this one.
    retry_of             BIGINT,

    input_key            TEXT    NOT NULL,
    input_bytes          BIGINT  NOT NULL,
    input_sha256         TEXT    NOT NULL,
    input_format         TEXT    NOT NULL,
    input_channels       INTEGER NOT NULL,
    input_sample_rate_hz INTEGER NOT NULL,
    input_duration_s     DOUBLE PRECISION,
    input_deleted_at_us  BIGINT,

    state                TEXT    NOT NULL
        CHECK (state IN ('queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled')),
    queued_since_us      BIGINT  NOT NULL,
    not_before_us        BIGINT  NOT NULL,
    attempt              INTEGER NOT NULL DEFAULT 0,
    lease_token          TEXT,
    lease_until_us       BIGINT,
    failures             INTEGER NOT NULL DEFAULT 0,
    deaths               INTEGER NOT NULL DEFAULT 0,
    stage                TEXT    NOT NULL,
    percent              DOUBLE PRECISION NOT NULL,
    created_at_us        BIGINT  NOT NULL,
    started_at_us        BIGINT  NOT NULL,
    ended_at_us          BIGINT,
    -- JSON.
    result               TEXT,
    results_deleted_at_us BIGINT,
    -- JSON.
    failure              TEXT,

    CHECK ((state IN ('running', 'cancelling')) = (lease_token IS NOT NULL)),
    CHECK ((state IN ('running', 'cancelling')) = (lease_until_us IS NOT NULL)),
    CHECK ((state IN ('succeeded', 'failed', 'cancelled')) = (ended_at_us IS NOT NULL)),
    CHECK ((state = 'succeeded') = (result IS NOT NULL)),
    CHECK ((state = 'failed') = (failure IS NOT NULL))
);
-- Lists of a user's jobs.
CREATE INDEX jobs_by_user ON jobs (user_id, kind, id);
-- The claim: a user's next job.
CREATE INDEX jobs_waiting_by_user ON jobs (user_id, priority DESC, id) WHERE state = 'queued';
-- The position in the queue.
CREATE INDEX jobs_waiting_by_kind ON jobs (kind, id) WHERE state = 'queued';
-- Leases that run out, and how many jobs of a user run.
CREATE INDEX jobs_held ON jobs (user_id, lease_until_us) WHERE state IN ('running', 'cancelling');
-- What is old enough to be cleaned away.
CREATE INDEX jobs_with_results ON jobs (ended_at_us) WHERE result IS NOT NULL AND results_deleted_at_us IS NULL;
CREATE INDEX jobs_with_input ON jobs (ended_at_us) WHERE input_deleted_at_us IS NULL;
CREATE INDEX jobs_by_end ON jobs (ended_at_us) WHERE ended_at_us IS NOT NULL;
-- Whether a stored recording belongs to a job.
CREATE INDEX jobs_by_input ON jobs (input_key);

CREATE TABLE job_events (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id BIGINT  NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    kind   TEXT    NOT NULL,
    at_us  BIGINT  NOT NULL,
    -- JSON object.
    detail TEXT    NOT NULL
);
CREATE INDEX job_events_by_job ON job_events (job_id, id);
