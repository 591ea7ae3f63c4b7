import { useEffect, useState } from "preact/hooks";

interface Read<T> {
  /** null until it was read. */
  value: T | null;
  problem: unknown;
  /** Reads again; what is shown stays meanwhile. */
  again: () => void;
}

/** Something of the server's, read now and whenever `about` changes. */
export function useRead<T>(read: (signal: AbortSignal) => Promise<T>, about: unknown[] = []): Read<T> {
  const [value, setValue] = useState<T | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    read(stop.signal).then(
      (found) => {
        if (stop.signal.aborted) return;
        setValue(found);
        setProblem(null);
      },
      (error) => {
        if (!stop.signal.aborted) setProblem(error);
      },
    );
    return () => stop.abort();
  }, [...about, turn]);
  return { value, problem, again: () => setTurn((last) => last + 1) };
}

interface Act {
  busy: boolean;
  problem: unknown;
  /** Does something; true when it went well. */
  act: (what: () => Promise<unknown>) => Promise<boolean>;
}

/** Something that a button does, one at a time. */
export function useAct(): Act {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const act = async (what: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    let done = true;
    try {
      await what();
    } catch (error) {
      done = false;
      setProblem(error);
    }
    setBusy(false);
    return done;
  };
  return { busy, problem, act };
}
