-- Whether the server was told to stop: it takes no more jobs, and ends with those that it has.
ALTER TABLE nodes ADD COLUMN draining BOOLEAN NOT NULL DEFAULT FALSE;
