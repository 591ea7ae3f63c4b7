-- What several servers on one database need to know of each other's work.

-- The server whose worker has the job, or had it last.
ALTER TABLE jobs ADD COLUMN node TEXT;
-- How often its lease ran out: of a server that was cut off or killed, which need not be the job's fault.
ALTER TABLE jobs ADD COLUMN expiries INTEGER NOT NULL DEFAULT 0;

-- Who makes a delivery now, until when nobody else does.
ALTER TABLE webhook_deliveries ADD COLUMN claim_token TEXT;
ALTER TABLE webhook_deliveries ADD COLUMN claimed_until_us BIGINT NOT NULL DEFAULT 0;
CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (webhook_id) WHERE claim_token IS NOT NULL;

-- What is done every now and then by one of the servers.
CREATE TABLE chores (
    name     TEXT   PRIMARY KEY,
    -- The server that does it, or did it last.
    holder   TEXT   NOT NULL,
    -- Nobody takes it before this: while it is being done, and until it is due again.
    until_us BIGINT NOT NULL
);
