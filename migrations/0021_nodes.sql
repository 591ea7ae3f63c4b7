-- The servers that work on this database: one row a data folder, for as long as it is heard of.
CREATE TABLE nodes (
    -- Drawn once and kept in the data folder.
    id            TEXT   PRIMARY KEY,
    name          TEXT   NOT NULL,
    role          TEXT   NOT NULL,
    release       TEXT   NOT NULL,
    -- The kinds of job that it runs, separated by spaces; empty when it runs none.
    queues        TEXT   NOT NULL,
    started_at_us BIGINT NOT NULL,
    seen_at_us    BIGINT NOT NULL
);
