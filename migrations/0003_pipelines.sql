-- Chains of effects under names. A user's own pipeline of a name comes before a shared one.
CREATE TABLE pipelines (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    owner_id      BIGINT  NOT NULL REFERENCES users (id),
    name          TEXT    NOT NULL,
    -- Whether everybody may use it.
    shared        BOOLEAN NOT NULL,
    -- JSON array of effects with their parameters, as it was written.
    chain         TEXT    NOT NULL,
    created_at_us BIGINT  NOT NULL,
    updated_at_us BIGINT  NOT NULL,
    UNIQUE (owner_id, name)
);
-- Whom a name leads to when the caller has no pipeline of it: the oldest shared one.
CREATE INDEX pipelines_shared ON pipelines (name, id) WHERE shared;
