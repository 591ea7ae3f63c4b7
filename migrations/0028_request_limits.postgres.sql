-- A crash may forgive. Not written to the log, a counter costs no wait for the disk.
ALTER TABLE request_limits SET UNLOGGED;
