// Both languages have the same texts, with the same names to fill in.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

const folder = new URL("../src/strings/", import.meta.url);
const read = (language, file) => JSON.parse(readFileSync(new URL(`${language}/${file}`, folder), "utf8"));
const files = (language) => readdirSync(new URL(language, folder)).filter((name) => name.endsWith(".json")).sort();
const flat = (texts, under = "") =>
  Object.entries(texts).flatMap(([key, text]) => (typeof text === "string" ? [[under + key, text]] : flat(text, `${under}${key}.`)));
const names = (text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

test("both languages have the same files", () => {
  assert.deepEqual(files("de"), files("en"));
});

for (const file of files("en")) {
  test(`${file}: the same keys and names`, () => {
    const english = Object.fromEntries(flat(read("en", file)));
    const german = Object.fromEntries(flat(read("de", file)));
    assert.deepEqual(Object.keys(german).sort(), Object.keys(english).sort());
    for (const [key, text] of Object.entries(english)) assert.deepEqual(names(german[key]), names(text), key);
  });
}
