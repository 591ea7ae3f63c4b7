-- A training of a voice is given several recordings: together they are what the job works on. A JSON list of what the columns input_*
-- say of one. There input_key is the folder in which all of them lie, and size and length are those of all together.
ALTER TABLE jobs ADD COLUMN recordings TEXT;
-- How far a training is, as JSON: its curve, what can be heard of it, and where it can be gone on from.
ALTER TABLE jobs ADD COLUMN training TEXT;
