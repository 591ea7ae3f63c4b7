-- Rows that change all the time: room on their pages keeps them there, and off the index.
ALTER TABLE users SET (fillfactor = 50);
ALTER TABLE lines SET (fillfactor = 50);

CREATE FUNCTION count_job() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    whose BIGINT;
    which TEXT;
    runs  BIGINT := 0;
    waits BIGINT := 0;
    served_at_us BIGINT;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        whose := OLD.user_id;
        which := OLD.kind;
        runs := runs - (OLD.state IN ('running', 'cancelling'))::INT;
        waits := waits - (OLD.state = 'queued')::INT;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        whose := NEW.user_id;
        which := NEW.kind;
        runs := runs + (NEW.state IN ('running', 'cancelling'))::INT;
        waits := waits + (NEW.state = 'queued')::INT;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.state = 'queued' AND NEW.state = 'running' THEN
        served_at_us := NEW.started_at_us;
    END IF;
    -- The user first, then the line, as the claim has them: nobody waits for somebody who waits.
    IF runs <> 0 THEN
        UPDATE users SET running = running + runs,
            last_served_at_us = COALESCE(served_at_us, last_served_at_us) WHERE id = whose;
    END IF;
    -- Taking away is no upsert: -1 would fail the check before it met the row that is there.
    IF waits < 0 THEN
        UPDATE lines SET waiting = waiting + waits WHERE kind = which AND user_id = whose;
    ELSIF waits > 0 THEN
        INSERT INTO lines (kind, user_id, waiting, began_with) VALUES (which, whose, waits, NEW.id)
            ON CONFLICT (kind, user_id) DO UPDATE SET waiting = lines.waiting + excluded.waiting,
            began_with = CASE WHEN lines.waiting = 0 THEN excluded.began_with ELSE lines.began_with END;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER jobs_counted AFTER INSERT OR DELETE OR UPDATE OF state ON jobs
    FOR EACH ROW EXECUTE FUNCTION count_job();
