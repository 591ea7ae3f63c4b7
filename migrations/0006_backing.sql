-- A conversion may have a second recording, over which the converted voice is laid. It lives and goes with the first.
ALTER TABLE jobs ADD COLUMN backing_key TEXT;
-- JSON object: what the columns input_* say about the first one.
ALTER TABLE jobs ADD COLUMN backing TEXT;
CREATE INDEX jobs_by_backing ON jobs (backing_key) WHERE backing_key IS NOT NULL;
