-- The time that all servers go by.
CREATE FUNCTION now_us() RETURNS BIGINT LANGUAGE SQL VOLATILE AS
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::BIGINT';
