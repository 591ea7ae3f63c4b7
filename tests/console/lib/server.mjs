// The server that the flows run against. The Rust test that runs them starts it and says where it is:
// VOCALHOST_CONSOLE_URL (no slash at the end), VOCALHOST_CONSOLE_KEY (a key of the first user, with every scope),
// VOCALHOST_CONSOLE_PROGRAM (the server's program).
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

function told(name) {
  const value = process.env[name];
  assert(value, `${name} is not set: see tests/console/README.md`);
  return value;
}

/** Where the server is, without a slash at the end. */
export const url = told("VOCALHOST_CONSOLE_URL");
/** A key with every scope. */
export const adminKey = told("VOCALHOST_CONSOLE_KEY");
/** The server's program, for what is compared with its command line. */
export const program = told("VOCALHOST_CONSOLE_PROGRAM");
/** The root of the API. */
export const root = `${url}/api/v1`;

/** A file of `tests/fixtures`. */
export function fixture(path) {
  return join(dirname(fileURLToPath(import.meta.url)), "../../fixtures", path);
}

/** A request with a key, as a program sends it; the path lies under the API's root. */
export async function api(path, { key = adminKey, headers = {}, ...init } = {}) {
  return fetch(root + path, { ...init, headers: { authorization: `Bearer ${key}`, ...headers } });
}

/** The same, which must succeed, as JSON. */
export async function json(path, init) {
  const answer = await api(path, init);
  const text = await answer.text();
  assert(answer.ok, `${path}: ${answer.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

/** A new key of a user, who is made when there is none of that name. Gives `{id, key}`. */
export async function newKey(user, scopes = ["read", "write"], more = {}) {
  const body = JSON.stringify({ user, scopes, ...more });
  const headers = { "content-type": "application/json" };
  return json("/admin/keys", { method: "POST", headers, body });
}

/** The record of the job at `path`, such as `/stem-splits/7`, once it has ended. */
export async function ended(path, { key = adminKey, patience = 600_000 } = {}) {
  const until = Date.now() + patience;
  for (;;) {
    const record = await json(path, { key, headers: { prefer: "wait=10" } });
    if (record.status !== "running") return record;
    assert(Date.now() < until, `${path} has not ended: ${JSON.stringify(record)}`);
  }
}
