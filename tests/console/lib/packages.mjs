// The packages of npm that the flows need lie in a folder of set-up's, not beside them.
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

const cache =
  process.env.VOCALHOST_CACHE_DIR ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "vocalhost");
const folder = process.env.VOCALHOST_NPM_CONSOLE ?? join(cache, "console-npm");
const require = createRequire(join(folder, "index.js"));

/** A package by its name; `cargo xtask test` puts them in place. */
export async function loaded(name) {
  const found = await import(require.resolve(name));
  return found.default ?? found;
}
