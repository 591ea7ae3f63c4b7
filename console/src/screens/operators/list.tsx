// What the tabs of the operators' screen share: lists page by page, their table, and questions before something is gone.
import { useEffect, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { get } from "../../lib/api";
import { go } from "../../lib/router";
import { t } from "../../lib/strings";
import type { Page } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Icon } from "../../ui/Icon";
import { Problem } from "../../ui/Problem";
import "./table.css";

export interface TabProps {
  /** What stands behind the tab's name in the address. */
  id: string;
  query: URLSearchParams;
}

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
 * Goes to a tab with other filters. A filter that changes begins at the first page. What is typed letter by letter takes the place of the
 * address before it, so that one step back leaves the search.
 */
export function filter(tab: string, query: URLSearchParams, changes: Record<string, string>): void {
  const next = new URLSearchParams(query);
  for (const [key, value] of Object.entries({ page: "", ...changes })) {
    if (value === "") next.delete(key);
    else next.set(key, value);
  }
  const text = next.toString();
  go(`/operators/${tab}${text === "" ? "" : `?${text}`}`, { replace: "search" in changes });
}

interface SearchProps {
  tab: string;
  query: URLSearchParams;
  label: string;
}

/** A search in what the page has already. */
export function Search({ tab, query, label }: SearchProps) {
  return (
    <label class="searchbox ops-search">
      <Icon name="search" size={17} />
      <input
        type="search"
        value={query.get("search") ?? ""}
        placeholder={label}
        aria-label={label}
        onInput={(event) => filter(tab, query, { search: event.currentTarget.value })}
      />
    </label>
  );
}

/** Whether a text has all the words that are searched for. */
export function found(query: URLSearchParams, text: string): boolean {
  const words = (query.get("search") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => text.toLowerCase().includes(word));
}

/** The number of the page that is asked for. */
export const pageOf = (query: URLSearchParams) => Math.max(1, Number(query.get("page")) || 1);

interface Column<T> {
  label: string;
  cell: (row: T) => ComponentChildren;
  /** Its head is for screen readers only: buttons need none. */
  quiet?: boolean;
}

interface TableProps<T> {
  label: string;
  columns: Column<T>[];
  rows: T[];
  keyOf: (row: T) => string | number;
}

/** A table that becomes a list of cards where there is no room for it. The roles are named, since some browsers forget them then. */
export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>) {
  return (
    <table class="table ops-table" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column.label} role="columnheader" scope="col">
              <span class={column.quiet === true ? "sr-only" : undefined}>{column.label}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map((column) => (
              <td key={column.label} role="cell" data-label={column.quiet === true ? undefined : column.label}>
                <div>{column.cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Goes through the pages of a list. */
export function Pager({ tab, query, page }: { tab: string; query: URLSearchParams; page: Page<unknown> | null }) {
  const last = page?.meta.lastPage ?? 1;
  const at = pageOf(query);
  if (last <= 1) return null;
  return (
    <nav class="row" aria-label={t("operators.pages")}>
      <Button icon="left" disabled={at <= 1} onClick={() => filter(tab, query, { page: String(at - 1) })}>
        {t("operators.previous")}
      </Button>
      <span class="muted">{t("operators.page", { n: at, of: last })}</span>
      <Button icon="right" disabled={at >= last} onClick={() => filter(tab, query, { page: String(at + 1) })}>
        {t("operators.next")}
      </Button>
    </nav>
  );
}

interface ConfirmProps {
  title: string;
  children: ComponentChildren;
  /** What the button says that does it. */
  action: string;
  onClose: () => void;
  /** Does it; what it throws is shown in the dialog. */
  run: () => Promise<void>;
}

/** Asks before something that cannot be undone. */
export function Confirm({ title, children, action, onClose, run }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const act = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await run();
      onClose();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="danger" icon="trash" busy={busy} onClick={() => void act()}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      <Problem problem={problem} />
    </Dialog>
  );
}

/** Runs what changes something, and keeps what goes wrong. */
export function useAction(after: () => void) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const run = async (action: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    try {
      await action();
      after();
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  return { busy, problem, run: (action: () => Promise<unknown>) => void run(action) };
}
