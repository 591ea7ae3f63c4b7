// The server's figures, read again and again while the operators' screen is open, and kept as long as the page is.
import { signal } from "@preact/signals";
import { answer, ask } from "../../lib/api";

/** How often the figures are read, in milliseconds. */
const EVERY = 3000;
/** How many readings are kept: ten minutes of them. */
const MOST = 200;

interface Figure {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The figures of one reading. */
export interface Reading {
  /** When they were read, in milliseconds as of `Date.now()`. */
  at: number;
  figures: Figure[];
}

/** What the server says about whether it takes work. */
export interface Readiness {
  status: string;
  checks: Record<string, boolean>;
}

/** The readings so far, the oldest first. */
export const readings = signal<Reading[]>([]);
/** Whether the server takes work; null until it was asked. */
export const readiness = signal<Readiness | null>(null);
/** Why the last reading failed; null when it did not. */
export const unread = signal<unknown>(null);

const LINE = /^(\w+)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The figures in a text of OpenMetrics. Histograms' buckets are left out: nothing here draws them. */
export function parse(text: string): Figure[] {
  const figures: Figure[] = [];
  for (const line of text.split("\n")) {
    const [, name, labels, value] = LINE.exec(line) ?? [];
    if (name === undefined || name.endsWith("_bucket")) continue;
    const pairs = [...(labels ?? "").matchAll(LABEL)].map(([, key, one]) => [key, one]);
    figures.push({ name, labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return figures;
}

/** The sum of a figure over all its labels, or over those that `of` takes. */
export function sum({ figures }: Reading, name: string, of: (labels: Record<string, string>) => boolean = () => true): number {
  return figures.reduce((total, one) => (one.name === `vocalhost_${name}` && of(one.labels) ? total + one.value : total), 0);
}

/** The largest value of a figure over all its labels. */
export function most({ figures }: Reading, name: string): number {
  return figures.reduce((top, one) => (one.name === `vocalhost_${name}` ? Math.max(top, one.value) : top), 0);
}

/** What a counter grew by in a second, at every reading but the first. A server that has begun anew begins at nothing. */
export function rates(list: readonly Reading[], value: (reading: Reading) => number): number[] {
  return list.slice(1).map((reading, at) => {
    const grown = value(reading) - value(list[at]);
    return grown < 0 ? 0 : grown / Math.max(0.001, (reading.at - list[at].at) / 1000);
  });
}

async function read(signal: AbortSignal): Promise<void> {
  // 503 is an answer, too: it says what is missing.
  const [health, figures] = await Promise.all([ask("readyz", { signal }), ask("metrics", { signal })]);
  if (!figures.ok) await answer(figures);
  const text = await figures.text();
  readings.value = [...readings.value, { at: Date.now(), figures: parse(text) }].slice(-MOST);
  readiness.value = health.ok || health.status === 503 ? ((await health.json()) as Readiness) : null;
}

/** Reads the figures until what it gives is called. */
export function watch(): () => void {
  const stop = new AbortController();
  let timer = 0;
  const turn = async () => {
    try {
      await read(stop.signal);
      unread.value = null;
    } catch (error) {
      if (!stop.signal.aborted) unread.value = error;
    }
    if (!stop.signal.aborted) timer = window.setTimeout(() => void turn(), EVERY);
  };
  void turn();
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}
