// A session against a stream that the test plays itself.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { Closed, connect, LiveProblem, LiveSession, Refused } from "../dist/index.js";

/** What a session takes for a WebSocket. */
class Stream {
  static last;
  sent = [];
  bufferedAmount = 0;
  readyState = 1;
  constructor(url, protocols) {
    Object.assign(this, { url, protocols });
    Stream.last = this;
  }
  send(message) {
    this.sent.push(typeof message === "string" ? JSON.parse(message) : new DataView(message));
  }
  close(code) {
    this.readyState = 3;
    queueMicrotask(() => this.onclose({ code }));
  }
  /** Something from the server. */
  say(message) {
    this.onmessage({ data: message instanceof ArrayBuffer ? message : JSON.stringify(message) });
  }
  get sounds() {
    return this.sent.filter((one) => one instanceof DataView);
  }
  asked(type) {
    return this.sent.filter((one) => one.type === type);
  }
}

const READY = { type: "ready", latencyMs: { block: 160, lookAhead: 160, effects: 0, resampling: 0, total: 320 } };

function opened(more = {}) {
  const session = new LiveSession({ streamUrl: "https://voice.example/api/v1/live-conversions/7/stream", ticket: "abc", sampleRate: 16_000, WebSocket: Stream, ...more });
  return { session, stream: Stream.last };
}

async function running(more) {
  const { session, stream } = opened(more);
  stream.say(READY);
  await session.ready;
  return { session, stream };
}

const pause = (ms) => new Promise((go) => setTimeout(go, ms));

test("the ticket goes as a subprotocol, and sound before the voice is loaded is a mistake of the caller", async () => {
  const { session, stream } = opened();
  assert.equal(stream.url, "wss://voice.example/api/v1/live-conversions/7/stream");
  assert.deepEqual(stream.protocols, ["vocalhost.live.v1", "ticket.abc"]);
  assert.throws(() => session.send(new Float32Array(10)), /wait for `ready`/);
  stream.say(READY);
  assert.equal((await session.ready).latencyMs.total, 320);
  assert.equal(session.state, "running");
  session.close();
  await session.ended;
});

test("sound goes in messages of 20 ms with numbers from 0, and stopping sends what is left", async () => {
  const { session, stream } = await running();
  for (let i = 0; i < 7; i += 1) assert.ok(session.send(new Float32Array(128).fill(0.5)));
  const ended = session.stop();
  assert.deepEqual(stream.sounds.map((one) => [one.getUint32(0, true), (one.byteLength - 8) / 2]), [[0, 320], [1, 320], [2, 256]]);
  assert.equal(stream.sounds[2].getInt16(8, true), 16_384);
  assert.deepEqual(stream.sent.at(-1), { type: "stop" });
  assert.equal(session.send(new Float32Array(320)), false, "nothing after it");
  stream.say({ type: "ended", record: { id: 7, endReason: "stopped" } });
  stream.close(1000);
  assert.deepEqual(await ended, { record: { id: 7, endReason: "stopped" }, code: 1000, reason: "It has ended." });
});

test("what the server finds wrong with the microphone is told", async () => {
  const { session, stream } = await running();
  const told = [];
  session.on("warning", ({ what }) => told.push(what));
  for (const what of ["silence", "clipping"]) stream.say({ type: "warning", what });
  assert.deepEqual(told, ["silence", "clipping"]);
  session.close();
  await session.ended;
});

test("changes of 50 ms go as one, and the answer comes to whoever asked", async (t) => {
  const { session, stream } = await running();
  // The clock goes on only when it is told to, and what is waited for is noted: on a busy machine timers come late by any time.
  let now = 1_000;
  t.mock.method(performance, "now", () => now);
  const waits = [];
  const later = globalThis.setTimeout;
  t.mock.method(globalThis, "setTimeout", (what, ms) => {
    waits.push(ms);
    return later(what, ms);
  });
  const sent = async (count) => {
    while (stream.asked("params").length < count) await new Promise((go) => later(go, 5));
  };
  const first = [1, 2, 3].map((pitchShift) => session.params({ pitchShift }));
  await sent(1);
  assert.deepEqual(stream.asked("params"), [{ type: "params", id: 1, pitchShift: 3 }]);
  now += 10;
  const second = [session.params({ pitchShift: 4 }), session.params({ post: ["reverb"] })];
  assert.equal(stream.asked("params").length, 1);
  await sent(2);
  assert.deepEqual(waits, [0, 40], "not sooner than 50 ms after the last");
  assert.deepEqual(stream.asked("params")[1], { type: "params", id: 2, pitchShift: 4, post: ["reverb"] });
  stream.say({ type: "refused", id: 2, errors: [{ field: "post[0]", message: "no such effect" }] });
  stream.say({ type: "applied", id: 1, atFrame: 4800 });
  assert.deepEqual(await Promise.all(first), [4800, 4800, 4800]);
  for (const one of second) await assert.rejects(one, (error) => error instanceof Refused && error.message === "post[0]: no such effect");
  session.close();
  await session.ended;
});

test("changes before the voice is loaded wait for it, and end with the session", async () => {
  const { session, stream } = opened();
  const asked = session.params({ modelVolumeMix: 1 });
  await pause(60);
  assert.deepEqual(stream.sent, []);
  stream.say(READY);
  await pause(10);
  assert.equal(stream.asked("params").length, 1);
  stream.close(4503);
  await assert.rejects(asked, Closed);
  await assert.rejects(session.params({ pitchShift: 1 }), /ended/);
  assert.equal((await session.ended).reason, "The server lost the process that converted.");
});

test("a stream that is closed before the voice is loaded fails, with the reason", async () => {
  const { session, stream } = opened();
  stream.close(4401);
  await assert.rejects(session.ready, (error) => error instanceof Closed && error.end.code === 4401 && /ticket/.test(error.message));
  assert.equal((await session.ended).record, null);
});

test("a stream that only fails, without being closed, is over, too", async () => {
  const { session, stream } = opened();
  stream.onerror();
  const { code, reason } = await session.ended;
  assert.deepEqual([code, reason], [1006, "The connection broke."]);
  await assert.rejects(session.ready, Closed);
});

test("a line that is too slow loses sound and counts it, instead of growing", async () => {
  const { session, stream } = await running({ mostWaitingMs: 200 });
  stream.bufferedAmount = 200 * 32 + 1;
  assert.equal(session.send(new Float32Array(1600)), false);
  assert.equal(session.unsentMs, 100);
  stream.bufferedAmount = 0;
  assert.ok(session.send(new Float32Array(320)));
  assert.equal(stream.sounds[0].getUint32(0, true), 0, "numbers have no holes");
  session.close();
  await session.ended;
});

test("sound that comes back says how long it was under way", async () => {
  const { session, stream } = await running();
  const heard = [];
  session.on("sound", (frame) => heard.push(frame));
  const began = performance.now();
  session.send(new Float32Array(320));
  const [sent] = stream.sounds;
  await pause(80);
  const answer = new DataView(new ArrayBuffer(16 + 4));
  answer.setUint32(4, sent.getUint32(4, true), true);
  answer.setBigUint64(8, 960n, true);
  answer.setInt16(16, -16_384, true);
  stream.say(answer.buffer);
  // The clock that goes along has whole milliseconds.
  const most = performance.now() - began + 1;
  assert.deepEqual(heard.map(({ firstFrame, samples }) => [firstFrame, [...samples]]), [[960, [-0.5, 0]]]);
  assert.ok(session.throughMs >= 75 && session.throughMs <= most, `${session.throughMs} of ${most}`);
  session.close();
  await session.ended;
});

test("what a server refuses to make is told with its fields", async (t) => {
  const asked = [];
  const server = createServer(async (request, answer) => {
    let text = "";
    for await (const part of request) text += part;
    asked.push([request.method, request.url, request.headers.authorization, JSON.parse(text)]);
    answer.writeHead(503, { "content-type": "application/problem+json", "retry-after": "20" });
    answer.end(JSON.stringify({ code: "E_BUSY", detail: "All places are taken.", errors: [{ field: "voiceModelId", message: "m" }] }));
  });
  await new Promise((go) => server.listen(0, "127.0.0.1", go));
  t.after(() => server.close());
  const refused = await connect({ server: `http://127.0.0.1:${server.address().port}/`, key: "k", voiceModelId: 3, frameMs: 40, WebSocket: Stream }).catch((error) => error);
  assert.ok(refused instanceof LiveProblem);
  assert.deepEqual([refused.status, refused.code, refused.message, refused.retryAfter, refused.errors.length], [503, "E_BUSY", "All places are taken.", 20, 1]);
  assert.deepEqual(asked, [["POST", "/api/v1/live-conversions", "Bearer k", { voiceModelId: 3 }]]);
});
