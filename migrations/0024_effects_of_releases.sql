-- Built-in effects of several releases side by side, for servers of one database whose program is replaced one after the other.

-- When a server last said that its program has the component; NULL for installed effects.
ALTER TABLE effects ADD COLUMN carried_at_us BIGINT;
-- Of built-in effects two releases may have the same version in other bytes.
DROP INDEX effects_by_name;
CREATE UNIQUE INDEX effects_by_name ON effects (effect_id, version) WHERE removed_at_us IS NULL AND origin = 'installed';
