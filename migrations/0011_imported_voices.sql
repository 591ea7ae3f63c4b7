-- A picture and a demo that somebody gave to a voice beside its package: JSON of name, key, bytes and SHA-256. They go before
-- those of the package.
ALTER TABLE voice_models ADD COLUMN picture TEXT;
ALTER TABLE voice_models ADD COLUMN demo TEXT;
