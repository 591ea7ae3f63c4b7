-- Why a voice cannot be used, in words for people; empty for one that can be. The next look at the models fills it.
ALTER TABLE voice_models ADD COLUMN fault TEXT;
UPDATE voice_models SET fault = 'a blend is still making it'
    WHERE package IS NULL AND made_by IS NOT NULL AND NOT usable;
