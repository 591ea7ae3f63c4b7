-- What was recorded of a live conversion: its files, as JSON, and how many bytes they have together.
ALTER TABLE live_conversions ADD COLUMN recorded TEXT;
ALTER TABLE live_conversions ADD COLUMN recorded_bytes BIGINT NOT NULL DEFAULT 0;
CREATE INDEX live_conversions_recorded ON live_conversions (user_id) WHERE recorded IS NOT NULL;
