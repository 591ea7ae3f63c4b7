// What the tabs of the operators' screen share: lists page by page, their table, and questions before something is gone.
import type { ComponentChildren } from "preact";
import { filtered, pageOf } from "../../lib/pages";
import { useAct } from "../../lib/read";
import { t } from "../../lib/strings";
import type { Page } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Icon } from "../../ui/Icon";
import "./table.css";

export interface TabProps {
  /** What stands behind the tab's name in the address. */
  id: string;
  query: URLSearchParams;
}

/** Goes to a tab with other filters. */
export function filter(tab: string, query: URLSearchParams, changes: Record<string, string>): void {
  filtered(`/operators/${tab}`, query, changes);
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

/** Runs what changes something, and keeps what goes wrong. */
export function useAction(after: () => void) {
  const { busy, problem, act } = useAct();
  return { busy, problem, run: (action: () => Promise<unknown>) => void act(action).then((done) => done && after()) };
}
