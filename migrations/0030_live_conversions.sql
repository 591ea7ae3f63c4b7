-- Conversions while somebody speaks. They never wait in the queue: each runs from when its stream is opened until that ends.
CREATE TABLE live_conversions (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id       BIGINT NOT NULL REFERENCES users (id),
    -- What it is to do, as JSON.
    spec          TEXT   NOT NULL,
    -- Of what opens its stream, once.
    ticket_sha256 TEXT   NOT NULL,
    -- waiting, running, ended.
    state         TEXT   NOT NULL,
    -- Why it ended.
    why           TEXT,
    -- How it went so far, as JSON.
    figures       TEXT   NOT NULL,
    -- What of it counts as the user's minutes already.
    counted_ms    BIGINT NOT NULL DEFAULT 0,
    created_at_us BIGINT NOT NULL,
    started_at_us BIGINT,
    -- When the server that runs it last said so.
    seen_at_us    BIGINT NOT NULL,
    ended_at_us   BIGINT
);
CREATE INDEX live_conversions_of_user ON live_conversions (user_id, id);
CREATE INDEX live_conversions_open ON live_conversions (state, seen_at_us) WHERE state <> 'ended';
CREATE INDEX live_conversions_ended ON live_conversions (ended_at_us) WHERE state = 'ended';
