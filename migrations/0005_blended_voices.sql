-- A blended voice has its number from when its job is accepted, so the row knows the job. Its package lies in the file
-- store rather than in a model folder.
ALTER TABLE voice_models ADD COLUMN made_by BIGINT;
-- JSON array: name, key, bytes and SHA-256 of each file.
ALTER TABLE voice_models ADD COLUMN package TEXT;
CREATE INDEX voice_models_by_job ON voice_models (made_by) WHERE made_by IS NOT NULL;
