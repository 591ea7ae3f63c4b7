-- Where a user wants to hear of ended jobs.
CREATE TABLE webhooks (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id            BIGINT  NOT NULL REFERENCES users (id),
    -- NULL in the one row that stands for the addresses that a user's jobs name themselves.
    url                TEXT,
    -- JSON array of event names; empty for all.
    events             TEXT    NOT NULL,
    description        TEXT    NOT NULL,
    -- As it was shown: signing takes the secret itself, a hash would not do.
    secret             TEXT    NOT NULL,
    -- The secret before the last change, which signs as well for a while.
    former_secret      TEXT,
    former_until_us    BIGINT,
    enabled            BOOLEAN NOT NULL,
    -- Why the server disabled it.
    disabled_reason    TEXT,
    created_at_us      BIGINT  NOT NULL,
    last_success_at_us BIGINT
);
CREATE INDEX webhooks_by_user ON webhooks (user_id, id);
CREATE UNIQUE INDEX webhooks_for_jobs ON webhooks (user_id) WHERE url IS NULL;

-- The outbox: what is to be delivered is written by the transaction that makes it true.
CREATE TABLE webhook_deliveries (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id      BIGINT  NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    -- The same for every endpoint and every try, so that receivers can tell what they have had.
    message_id      TEXT    NOT NULL,
    event           TEXT    NOT NULL,
    -- The address that the job names; NULL for that of the endpoint, whatever it is by then.
    url             TEXT,
    -- No foreign key: the news outlives the job.
    job_id          BIGINT,
    -- JSON: what is said when the job is forgotten by then.
    payload         TEXT    NOT NULL,
    state           TEXT    NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    -- Tries since it was made or replayed.
    tries           INTEGER NOT NULL DEFAULT 0,
    next_attempt_us BIGINT  NOT NULL,
    created_at_us   BIGINT  NOT NULL,
    ended_at_us     BIGINT,
    CHECK ((state = 'pending') = (ended_at_us IS NULL))
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_us, id) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_by_end ON webhook_deliveries (ended_at_us) WHERE ended_at_us IS NOT NULL;

CREATE TABLE webhook_attempts (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery_id BIGINT  NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
    at_us       BIGINT  NOT NULL,
    duration_ms BIGINT  NOT NULL,
    -- NULL when there was no answer.
    status      INTEGER,
    error       TEXT,
    -- The beginning of the answer.
    answer      TEXT
);
CREATE INDEX webhook_attempts_by_delivery ON webhook_attempts (delivery_id, id);

-- What ties a job to the world outside: where its end is told, and the trace that it belongs to (W3C `traceparent`).
ALTER TABLE jobs ADD COLUMN webhook_url TEXT;
ALTER TABLE jobs ADD COLUMN trace_parent TEXT;
