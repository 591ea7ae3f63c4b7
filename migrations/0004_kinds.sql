-- A blend has no recording, so what is said about one may be missing. Neither SQLite nor a running service likes to write
-- a table anew, so each column makes room for one that may be empty.
DROP INDEX jobs_by_input;
ALTER TABLE jobs ADD COLUMN recording_key TEXT;
ALTER TABLE jobs ADD COLUMN recording_bytes BIGINT;
ALTER TABLE jobs ADD COLUMN recording_sha256 TEXT;
ALTER TABLE jobs ADD COLUMN recording_format TEXT;
ALTER TABLE jobs ADD COLUMN recording_channels INTEGER;
ALTER TABLE jobs ADD COLUMN recording_sample_rate_hz INTEGER;
UPDATE jobs SET recording_key = input_key, recording_bytes = input_bytes, recording_sha256 = input_sha256,
    recording_format = input_format, recording_channels = input_channels,
    recording_sample_rate_hz = input_sample_rate_hz;
ALTER TABLE jobs DROP COLUMN input_key;
ALTER TABLE jobs DROP COLUMN input_bytes;
ALTER TABLE jobs DROP COLUMN input_sha256;
ALTER TABLE jobs DROP COLUMN input_format;
ALTER TABLE jobs DROP COLUMN input_channels;
ALTER TABLE jobs DROP COLUMN input_sample_rate_hz;
ALTER TABLE jobs RENAME COLUMN recording_key TO input_key;
ALTER TABLE jobs RENAME COLUMN recording_bytes TO input_bytes;
ALTER TABLE jobs RENAME COLUMN recording_sha256 TO input_sha256;
ALTER TABLE jobs RENAME COLUMN recording_format TO input_format;
ALTER TABLE jobs RENAME COLUMN recording_channels TO input_channels;
ALTER TABLE jobs RENAME COLUMN recording_sample_rate_hz TO input_sample_rate_hz;
CREATE INDEX jobs_by_input ON jobs (input_key) WHERE input_key IS NOT NULL;

-- Each kind is a queue of its own: the claim and the position look at one user's waiting jobs of one kind.
DROP INDEX jobs_waiting_by_kind;
CREATE INDEX jobs_waiting_by_kind ON jobs (kind, user_id, priority DESC, id) WHERE state = 'queued';
