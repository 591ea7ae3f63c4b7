-- The effects that requests may name. A component is known by its digest: a job pins it, and its bytes lie in the file
-- store under it. Built-in effects have rows too, which each start of the server brings in line with the program.
CREATE TABLE effects (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    -- SHA-256 of the component, lower-case hex.
    digest          TEXT    NOT NULL UNIQUE,
    effect_id       TEXT    NOT NULL,
    version         TEXT    NOT NULL,
    vendor          TEXT    NOT NULL,
    -- JSON: what the effect says about itself.
    descriptor      TEXT    NOT NULL,
    origin          TEXT    NOT NULL CHECK (origin IN ('builtin', 'installed')),
    enabled         BOOLEAN NOT NULL,
    bytes           BIGINT  NOT NULL,
    -- Limits of this effect alone; NULL means that the settings hold.
    memory_bytes    BIGINT,
    work_per_audio  DOUBLE PRECISION,
    installed_at_us BIGINT  NOT NULL,
    -- The name of the user whose key it was; NULL for the command line and for built-in effects.
    installed_by    TEXT,
    -- A removed effect stays for the jobs that pinned it; the cleanup deletes it after them.
    removed_at_us   BIGINT
);
CREATE UNIQUE INDEX effects_by_name ON effects (effect_id, version) WHERE removed_at_us IS NULL;

-- One row: a number that grows with every change of the table above, in whatever process, so that a server sees with
-- one look whether what it remembers still holds.
CREATE TABLE effects_revision (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    revision BIGINT  NOT NULL
);
INSERT INTO effects_revision (only_row, revision) VALUES (1, 1);
