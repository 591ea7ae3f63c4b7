// Conversions while somebody speaks, as far as they are records. Their sound goes through a WebSocket: `clients/live` speaks.
import { listed } from "./pages.js";
import type { Transport } from "./transport.js";
import type { LiveConversion, LiveRequest, RenderRequest, VoiceConversion } from "./types.js";

const PATH = "/live-conversions";

/** Conversions while somebody speaks. */
export class LiveConversions {
  constructor(private readonly transport: Transport) {}

  /** Makes one. `streamUrl` and `ticket` of the record open its stream, once and within 30 seconds: it is asked for once, too. */
  async create(request: LiveRequest, { signal }: { signal?: AbortSignal } = {}): Promise<LiveConversion> {
    const answer = await this.transport.once(PATH, { method: "POST", body: request, signal });
    return (await answer.json()) as LiveConversion;
  }

  /** How one goes, or went, with links to what was recorded. */
  async get(live: LiveConversion | number): Promise<LiveConversion> {
    return this.transport.json(at(live));
  }

  /** Yours, the newest first. */
  list(filter: { order?: "asc" | "desc" } = {}): AsyncGenerator<LiveConversion> {
    return listed(this.transport, PATH, { order: "desc", ...filter });
  }

  /** Has what was said converted as a recording, in the same way unless `request` says otherwise: `client.conversions.wait` for it. */
  async render(live: LiveConversion | number, request: RenderRequest = {}, { idempotencyKey }: { idempotencyKey?: string } = {}): Promise<VoiceConversion> {
    return this.transport.json(`${at(live)}/render`, { method: "POST", body: request, idempotencyKey });
  }

  /** Forgets one and what was recorded of it; one that goes on is ended. */
  async delete(live: LiveConversion | number): Promise<void> {
    await this.transport.ask(at(live), { method: "DELETE" });
  }
}

function at(live: LiveConversion | number): string {
  return `${PATH}/${typeof live === "number" ? live : live.id}`;
}
