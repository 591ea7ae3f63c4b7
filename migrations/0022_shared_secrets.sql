-- Secrets that all servers of this database have to have in common, such as the one that signs links. Whoever is first makes one.
CREATE TABLE shared_secrets (
    name          TEXT   PRIMARY KEY,
    -- Lower-case hex.
    secret        TEXT   NOT NULL,
    made_at_us    BIGINT NOT NULL
);
