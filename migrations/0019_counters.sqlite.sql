CREATE TRIGGER jobs_counted_in AFTER INSERT ON jobs WHEN NEW.state IN ('queued', 'running', 'cancelling') BEGIN
    UPDATE users SET running = running + 1 WHERE id = NEW.user_id AND NEW.state <> 'queued';
    INSERT INTO lines (kind, user_id, waiting, began_with) SELECT NEW.kind, NEW.user_id, 1, NEW.id WHERE NEW.state = 'queued'
        ON CONFLICT (kind, user_id) DO UPDATE SET waiting = waiting + 1,
        began_with = CASE WHEN waiting = 0 THEN excluded.began_with ELSE began_with END;
END;

CREATE TRIGGER jobs_counted_out AFTER DELETE ON jobs WHEN OLD.state IN ('queued', 'running', 'cancelling') BEGIN
    UPDATE users SET running = running - 1 WHERE id = OLD.user_id AND OLD.state <> 'queued';
    UPDATE lines SET waiting = waiting - 1 WHERE kind = OLD.kind AND user_id = OLD.user_id AND OLD.state = 'queued';
END;

CREATE TRIGGER jobs_counted_on AFTER UPDATE OF state ON jobs WHEN OLD.state <> NEW.state BEGIN
    UPDATE users SET running = running
        + (NEW.state IN ('running', 'cancelling')) - (OLD.state IN ('running', 'cancelling')),
        last_served_at_us = CASE WHEN OLD.state = 'queued' AND NEW.state = 'running' THEN NEW.started_at_us
            ELSE last_served_at_us END
        WHERE id = NEW.user_id
        AND (NEW.state IN ('running', 'cancelling')) <> (OLD.state IN ('running', 'cancelling'));
    UPDATE lines SET waiting = waiting - 1 WHERE kind = OLD.kind AND user_id = OLD.user_id AND OLD.state = 'queued';
    INSERT INTO lines (kind, user_id, waiting, began_with) SELECT NEW.kind, NEW.user_id, 1, NEW.id WHERE NEW.state = 'queued'
        ON CONFLICT (kind, user_id) DO UPDATE SET waiting = waiting + 1,
        began_with = CASE WHEN waiting = 0 THEN excluded.began_with ELSE began_with END;
END;
