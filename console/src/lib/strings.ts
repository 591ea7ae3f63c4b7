// Texts, one file for each screen and language. A language's files are fetched when it is chosen.
import { signal } from "@preact/signals";
import type english from "../strings/en";

type Paths<T, P extends string = ""> = {
  [K in keyof T & string]: T[K] extends string ? `${P}${K}` : Paths<T[K], `${P}${K}.`>;
}[keyof T & string];

type Texts = typeof english;
/** Keys of texts, such as `convert.drop`. */
export type Key = Paths<Texts>;
export type Language = "en" | "de";

const STORE = "vocalhost.language";
const texts = signal<Texts | null>(null);
export const language = signal<Language>(chosen());

function chosen(): Language {
  const kept = localStorage.getItem(STORE);
  if (kept === "en" || kept === "de") return kept;
  return navigator.languages.some((name) => name.startsWith("de")) && !navigator.languages[0]?.startsWith("en") ? "de" : "en";
}

/** Loads a language's texts and shows them. */
export async function speak(name: Language): Promise<void> {
  const loaded = name === "de" ? (await import("../strings/de")).default : (await import("../strings/en")).default;
  document.documentElement.lang = name;
  language.value = name;
  texts.value = loaded as Texts;
}

/** Chooses a language and remembers it. */
export async function choose(name: Language): Promise<void> {
  localStorage.setItem(STORE, name);
  await speak(name);
}

/** A text, its `{names}` filled in. `one|many` forms are told apart by `n`: `{n, one recording, {n} recordings}` is written as two texts with `|`. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  return lookup(key, values) ?? key;
}

/** A text for a key that may not be there, such as the name of a stage that a newer server has. */
export function maybe(key: string, values: Record<string, string | number> = {}): string | undefined {
  return lookup(key, values);
}

function lookup(key: string, values: Record<string, string | number>): string | undefined {
  let found: unknown = texts.value;
  for (const part of key.split(".")) found = (found as Record<string, unknown> | null | undefined)?.[part];
  if (typeof found !== "string") return undefined;
  const forms = found.split(" | ");
  const text = forms.length === 2 && typeof values.n === "number" ? forms[values.n === 1 ? 0 : 1] : found;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
