-- Sign-ins to the console. A session stands for the key that it was opened with, and goes with it.
CREATE TABLE console_sessions (
    id              TEXT   PRIMARY KEY,
    key_id          TEXT   NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
    -- SHA-256 of the secret that the cookie has, lower-case hex.
    secret_sha256   TEXT   NOT NULL,
    created_at_us   BIGINT NOT NULL,
    expires_at_us   BIGINT NOT NULL,
    last_used_at_us BIGINT NOT NULL,
    -- Where it was opened from, and with which browser, as that says of itself.
    address         TEXT,
    user_agent      TEXT
);
CREATE INDEX console_sessions_by_key ON console_sessions (key_id);
CREATE INDEX console_sessions_by_expiry ON console_sessions (expires_at_us);
