// Against a running server: VOCALHOST_URL and VOCALHOST_KEY name it; it must have been started with `live_workers`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, LiveProblem, Refused } from "../dist/index.js";

const { VOCALHOST_URL: server, VOCALHOST_KEY: key } = process.env;

async function api(path, init = {}) {
  const answer = await fetch(`${server}/api/v1${path}`, { ...init, headers: { authorization: `Bearer ${key}` } });
  return answer.status === 204 || !answer.ok ? { status: answer.status } : { status: answer.status, ...(await answer.json()) };
}

/** Why there is nothing to be tested against. */
async function missing() {
  if (!server || !key) return "VOCALHOST_URL and VOCALHOST_KEY name no server";
  if (globalThis.WebSocket === undefined) return "this Node has no WebSocket: start it with --experimental-websocket";
  const { status } = await api("/live-conversions");
  return status === 404 ? "this server is older than live conversions" : false;
}

const skip = await missing();
const RATE = 16_000;

/** A sung tone, so that there is a pitch. */
function sung(seconds) {
  return Float32Array.from({ length: RATE * seconds }, (_, i) => {
    let sum = 0;
    for (let n = 1; n <= 12; n += 1) sum += Math.sin((2 * Math.PI * 160 * n * i) / RATE) / n;
    return 0.08 * sum * Math.min(1, i / 1600);
  });
}

async function opened(more = {}) {
  const { data } = await api("/voice-models?perPage=1");
  return connect({ server, key, voiceModelId: data[0].id, sampleRate: RATE, latency: "balanced", ...more });
}

/** Sends sound as fast as it sounds. */
async function speak(session, samples) {
  const began = performance.now();
  for (let at = 0; at < samples.length; at += 320) {
    session.send(samples.subarray(at, at + 320));
    const ahead = began + ((at + 320) / RATE) * 1000 - performance.now();
    if (ahead > 0) await new Promise((go) => setTimeout(go, ahead));
  }
}

test("sound comes back as long as it went, parameters change meanwhile, and the record tells of it", { skip }, async () => {
  const session = await opened();
  const { latencyMs } = await session.ready;
  assert.ok(latencyMs.total >= latencyMs.block + latencyMs.lookAhead, JSON.stringify(latencyMs));
  const frames = [];
  session.on("sound", (frame) => frames.push(frame));
  const [changed] = await Promise.all([
    new Promise((go) => setTimeout(go, 1000)).then(() => session.params({ pitchShift: -3 })),
    speak(session, sung(4)),
  ]);
  assert.ok(changed > 0 && changed < 4 * RATE, `${changed}`);
  await assert.rejects(session.params({ post: ["no-such-effect"] }), (error) => error instanceof Refused && error.errors.length > 0);
  const { record, code } = await session.stop();
  assert.equal(code, 1000);
  assert.deepEqual([record.status, record.endReason, record.streamUrl], ["ended", "stopped", null]);
  assert.ok(record.inputLevelRms > 0);
  // In order, without holes but what was dropped, and all of it.
  frames.forEach((frame, n) => assert.equal(frame.seq, n));
  const last = frames.at(-1);
  const length = last.firstFrame + last.samples.length;
  assert.ok(Math.abs(length - 4 * RATE) <= RATE, `${length} samples for ${4 * RATE}`);
  assert.ok(Math.max(...frames.flatMap(({ samples }) => [...samples].map(Math.abs))) > 0.01, "it sounds");
  assert.ok(session.throughMs >= latencyMs.lookAhead, `${session.throughMs}`);
  const kept = await api(`/live-conversions/${record.id}`);
  assert.equal(kept.status, "ended");
  assert.equal((await api(`/live-conversions/${record.id}`, { method: "DELETE" })).status, 204);
});

test("all mistakes of a request are told at once", { skip }, async () => {
  const refused = await opened({ pitchShift: 99, modelVolumeMix: 7 }).catch((error) => error);
  assert.ok(refused instanceof LiveProblem, String(refused));
  assert.equal(refused.status, 422);
  assert.deepEqual(refused.errors.map(({ field }) => field).sort(), ["modelVolumeMix", "pitchShift"]);
});

test("a ticket opens a stream once", { skip }, async () => {
  const session = await opened();
  await session.ready;
  const { streamUrl } = await api(`/live-conversions?order=desc&perPage=1`).then(({ data }) => data[0]);
  const again = await connect({ streamUrl, ticket: "spent", sampleRate: RATE });
  assert.equal((await again.ended).record, null);
  const { record } = await session.stop();
  await api(`/live-conversions/${record.id}`, { method: "DELETE" });
});
