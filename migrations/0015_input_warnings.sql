-- What the first look at a recording found wrong with it, as JSON; empty where nothing was found and in jobs from before it was looked for.
ALTER TABLE jobs ADD COLUMN input_warnings TEXT;
