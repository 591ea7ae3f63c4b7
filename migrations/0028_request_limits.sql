-- How many requests servers have let through together: for each counter, when it is full again, in microseconds since 1970.
CREATE TABLE request_limits (name TEXT PRIMARY KEY, full_at_us INTEGER NOT NULL);
