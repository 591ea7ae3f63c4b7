-- Whose effects are: the public key that an id belongs to, from its first signed install on. It stays when the effects are removed,
-- so that nobody else can take the id then.
CREATE TABLE effect_keys (
    effect_id     TEXT   PRIMARY KEY,
    -- As people write it: ed25519: and Base64.
    public_key    TEXT   NOT NULL,
    -- When it was trusted: the first install, or the one that was told to trust it.
    trusted_at_us BIGINT NOT NULL
);
