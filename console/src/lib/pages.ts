// Lists that come page by page, with filters in the address.
import { useEffect, useState } from "preact/hooks";
import { get } from "./api";
import { go } from "./router";
import type { Page } from "./types";

/** Reads a page of a list, and reads it again when `again` is called, or every `poll` milliseconds while `busy` says so. */
export function usePage<T>(path: string, poll = 0, busy: (page: Page<T>) => boolean = () => false) {
  const [shown, setShown] = useState<Page<T> | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    const read = async () => {
      try {
        const found = await get<Page<T>>(path, { signal: stop.signal });
        setShown(found);
        setProblem(null);
        if (poll > 0 && busy(found)) timer = window.setTimeout(() => void read(), poll);
      } catch (error) {
        if (!stop.signal.aborted) setProblem(error);
      }
    };
    void read();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [path, turn]);
  return { shown, problem, again: () => setTurn((last) => last + 1) };
}

/**
 * Goes to the address of a list with other filters. A filter that changes begins at the first page. What is typed letter by letter takes the
 * place of the address before it, so that one step back leaves the search.
 */
export function filtered(path: string, query: URLSearchParams, changes: Record<string, string>): void {
  const next = new URLSearchParams(query);
  for (const [key, value] of Object.entries({ page: "", ...changes })) {
    if (value === "") next.delete(key);
    else next.set(key, value);
  }
  const text = next.toString();
  go(`${path}${text === "" ? "" : `?${text}`}`, { replace: "search" in changes });
}

/** The number of the page that is asked for. */
export const pageOf = (query: URLSearchParams) => Math.max(1, Number(query.get("page")) || 1);
