// Webhooks of the server are told from forged ones. The server must be allowed to send to 127.0.0.1.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { WebhookRefused, verifyWebhook } from "../dist/index.js";
import { client, recording, voice } from "./support.mjs";

/** Something that gives in their order what a server on this machine is sent. */
async function receiver(t) {
  const arrived = [];
  let wake = () => {};
  const server = createServer(async (request, response) => {
    arrived.push({ body: await buffer(request), headers: request.headers });
    response.writeHead(204).end();
    wake();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const next = async () => {
    while (arrived.length === 0) await new Promise((resolve) => (wake = resolve));
    return arrived.shift();
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, next };
}

test("news of a job is known to come from the server", { timeout: 120_000 }, async (t) => {
  const { api, conversions } = client();
  const { url, next } = await receiver(t);
  const { data: webhook } = await api.POST("/webhooks", { body: { url, events: ["job.success"] } });
  t.after(() => api.DELETE("/webhooks/{id}", { params: { path: { id: webhook.id } } }));
  const job = await conversions.create({ soundFile: await recording(), voiceModelId: await voice() });
  let news, event;
  do {
    news = await next();
    event = await verifyWebhook(news.body, news.headers, webhook.secret);
  } while (event.data.id !== job.id);
  assert.deepEqual([event.type, event.data.kind, event.data.status], ["job.success", "voice-conversion", "success"]);
  assert.match(event.id, /^msg_/);
  const forged = Buffer.from(news.body.toString().replace("success", "failure"));
  await assert.rejects(verifyWebhook(forged, news.headers, webhook.secret), WebhookRefused);
  await assert.rejects(verifyWebhook(news.body, news.headers, "whsec_bmV3"), WebhookRefused);
});

test("forged, old and bare requests are refused", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const now = Math.floor(Date.now() / 1000);
  const body = '{"type": "job.success", "timestamp": "", "data": {}}';
  const sign = (secret, at) => {
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const signature = createHmac("sha256", key).update(`msg_1.${at}.${body}`).digest("base64");
    return { "Webhook-Id": "msg_1", "Webhook-Timestamp": String(at), "Webhook-Signature": `v1,${signature}` };
  };
  const good = sign(secret, now);
  assert.equal((await verifyWebhook(body, new Headers(good), ["whsec_bmV3", secret])).id, "msg_1");
  const twice = { ...good, "Webhook-Signature": `v1,bm8= ${good["Webhook-Signature"]}` };
  assert.equal((await verifyWebhook(new TextEncoder().encode(body), twice, secret)).id, "msg_1");
  const { "Webhook-Signature": _, ...bare } = good;
  for (const headers of [
    sign("whsec_bmV3", now),
    { ...good, "Webhook-Id": "msg_2" },
    { ...good, "Webhook-Signature": "" },
    { ...good, "Webhook-Signature": good["Webhook-Signature"].replace("v1", "v2") },
    { ...good, "Webhook-Timestamp": "9".repeat(5000) },
    bare,
    sign(secret, now - 400),
    sign(secret, now + 400),
  ]) {
    await assert.rejects(verifyWebhook(body, headers, secret), WebhookRefused, JSON.stringify(headers).slice(0, 200));
  }
});
