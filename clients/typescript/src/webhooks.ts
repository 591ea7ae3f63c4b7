// Tells webhooks of the server from forged ones (Standard Webhooks 1.0).
import { WebhookRefused } from "./errors.js";
import type { ListedJob } from "./types.js";

/** News of the server, which is known to come from it. */
export interface WebhookEvent {
  /** The same for every try to deliver it: what was seen before need not be done again. */
  id: string;
  type: "job.success" | "job.error" | "job.cancelled" | "webhook.test";
  /** When it happened. */
  timestamp: string;
  /** The record of the job; only `kind`, `id` and `status` of one that was deleted by then. */
  data: ListedJob;
}

/** What headers come as: of `fetch`, or of Node's servers. */
export type HeadersGiven = Headers | Record<string, string | string[] | undefined>;

/**
 * The news in a request that the server sent to a webhook. `body` is the request's body as it came, byte for byte. `secret` is what the
 * webhook's creation has shown; several may be given while it is changed. What was signed more than `tolerance` seconds ago (300), or in
 * the future, is refused, so that nobody can send again what they have overheard. Throws `WebhookRefused`.
 */
export async function verifyWebhook(
  body: Uint8Array | string,
  headers: HeadersGiven,
  secret: string | readonly string[],
  { tolerance = 300 }: { tolerance?: number } = {},
): Promise<WebhookEvent> {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const given = header(headers, "webhook-signature").split(" ");
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > tolerance) {
    throw new WebhookRefused("The webhook is too old, or its clock is wrong.");
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  let isGood = false;
  for (const one of typeof secret === "string" ? [secret] : secret) {
    const key = await crypto.subtle.importKey("raw", keyOf(one), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const signature of given) {
      const [version, coded = ""] = signature.split(",", 2);
      const digest = decoded(coded);
      // Takes as long for a wrong signature as for a right one.
      if (version === "v1" && digest !== undefined && (await crypto.subtle.verify("HMAC", key, digest, signed))) isGood = true;
    }
  }
  if (!isGood) throw new WebhookRefused("The signature is not of this secret.");
  return { ...JSON.parse(new TextDecoder().decode(bytes)), id };
}

function header(headers: HeadersGiven, name: string): string {
  let value: string | string[] | null | undefined;
  if (headers instanceof Headers) value = headers.get(name);
  else value = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  if (typeof value !== "string") throw new WebhookRefused(`The header ${name} is missing.`);
  return value;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = decoded(secret.replace(/^whsec_/, ""));
  if (key === undefined || key.length === 0) throw new TypeError("A webhook's secret is `whsec_` and base64.");
  return key;
}

function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
