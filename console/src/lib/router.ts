// Addresses in the hash, as `#/jobs/stem-splits/12?status=running`: screen, what is shown in it, and filters.
import { signal } from "@preact/signals";

export interface Route {
  screen: string;
  /** Whatever stands behind the screen's name, without the slash: `stem-splits/12`. */
  id?: string;
  query: URLSearchParams;
}

function parse(hash: string): Route {
  const [path, query] = hash.replace(/^#\/?/, "").split("?", 2);
  const [screen, ...rest] = path.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  const id = rest.join("/");
  return { screen, id: id === "" ? undefined : id, query: new URLSearchParams(query ?? "") };
}

/** What the address says is to be shown. */
export const route = signal<Route>(parse(location.hash));

window.addEventListener("hashchange", () => {
  route.value = parse(location.hash);
});

/** Goes to an address such as `/jobs/stem-splits/12`. With `replace` the old one leaves the history. */
export function go(path: string, options: { replace?: boolean } = {}): void {
  if (options.replace === true) {
    history.replaceState(null, "", `#${path}`);
    route.value = parse(location.hash);
  } else location.hash = path;
}
