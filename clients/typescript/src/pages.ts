// Lists that come in pages.
import type { Transport } from "./transport.js";

const PER_PAGE = 100;

/** Every entry of a list, page by page as they are needed. */
export async function* listed<T>(transport: Transport, path: string, filter: object): AsyncGenerator<T> {
  for (let page = 1; ; page += 1) {
    const query = new URLSearchParams({ page: String(page), perPage: String(PER_PAGE) });
    for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value));
    const { data, meta } = await transport.json<{ data: T[]; meta: { lastPage: number } }>(`${path}?${query}`);
    yield* data;
    if (page >= meta.lastPage) return;
  }
}
