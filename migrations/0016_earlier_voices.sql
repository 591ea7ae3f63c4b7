-- The package that had a voice's number before a later generation of it took its place; empty where none did, or before that was kept.
ALTER TABLE voice_models ADD COLUMN earlier_package_id TEXT;
