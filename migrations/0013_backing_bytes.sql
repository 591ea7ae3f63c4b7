-- The size of the second recording, for the quota. Those from before this column count as nothing until they expire.
ALTER TABLE jobs ADD COLUMN backing_bytes BIGINT;
CREATE INDEX jobs_stored_backings ON jobs (user_id, backing_key, backing_bytes)
    WHERE backing_key IS NOT NULL AND input_deleted_at_us IS NULL;
-- The announced sizes of a user's uploads count too.
DROP INDEX uploads_by_user;
CREATE INDEX uploads_by_user ON uploads (user_id, expires_at_us, bytes);
-- Whose a voice was, for when that user is deleted.
CREATE INDEX voice_models_published ON voice_models (published_from) WHERE published_from IS NOT NULL;
