// The five kinds of job, through the library and a running server.
import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { JobCancelled, Problem } from "../dist/index.js";
import { save } from "../dist/node.js";
import { client, longRecording, recording, voice } from "./support.mjs";

async function folder(t) {
  const path = await mkdtemp(join(tmpdir(), "vocalhost-"));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

const start = async (blob) => String.fromCharCode(...new Uint8Array(await blob.slice(0, 4).arrayBuffer()));

test("a conversion has its settings and its file", async (t) => {
  const { conversions } = client();
  const seen = [];
  const made = await conversions.create({
    soundFile: await recording(),
    voiceModelId: await voice(),
    pitchShift: -2.5,
    autoPitch: true,
    pre: { noiseGate: { threshold_db: -60 } },
    post: ["reverb", { effect: "compressor", params: { ratio: 3 } }],
    metadata: { take: "1" },
  });
  assert.equal(made.status, "running");
  const job = await conversions.wait(made, { onProgress: (...told) => seen.push(told) });
  assert.deepEqual([job.status, job.pitchShift, job.autoPitch, job.metadata], ["success", -2.5, true, { take: "1" }]);
  assert.deepEqual(
    job.effects.map((one) => one.id.replace("vocalhost.", "")),
    ["noise-gate", "reverb", "compressor"],
  );
  assert.deepEqual(seen.at(-1), [100, "done"]);
  const path = join(await folder(t), "converted.wav");
  let told;
  await save(client(), job.outputFileUrl, path, { onProgress: (...now) => (told = now) });
  const bytes = await readFile(path);
  assert.equal(bytes.subarray(0, 4).toString(), "RIFF");
  assert.deepEqual(told, [bytes.length, bytes.length]);
  assert.equal((await client().download(job.outputFileUrl)).size, bytes.length);
  assert.equal((await start(await conversions.archive(job))).slice(0, 2), "PK");
});

test("vocals and music come apart", async () => {
  const { separations } = client();
  const job = await separations.wait(await separations.create({ inputFile: await recording(), outputFormat: "flac" }));
  assert.equal(job.stemFileUrls.map((stem) => stem.instrument).join(), "vocals,harmony,reverb,backing");
  assert.equal(await start(await client().download(job.vocalAudioFileUrl)), "fLaC");
});

test("a split gives the stems that were asked for", async () => {
  const { splits } = client();
  const job = await splits.wait(await splits.create({ inputFile: await recording(), stems: ["drums", "bass"] }));
  assert.equal(job.stemFileUrls.map((stem) => stem.instrument).join(), "drums,bass");
});

test("a blend is a voice", async () => {
  const { api, blends } = client();
  const request = { modelId1: await voice(0), modelId2: await voice(1), alpha: 0.25, title: "By the library" };
  const job = await blends.wait(await blends.create(request));
  assert.equal(job.alpha2, 0.75);
  const params = { path: { id: job.outputModelId } };
  const { data } = await api.GET("/voice-models/{id}", { params });
  assert.deepEqual([data.title, data.isUsable, data.terms.sources.length], ["By the library", true, 2]);
  await api.DELETE("/voice-models/{id}", { params });
  await assert.rejects(api.GET("/voice-models/{id}", { params }), (error) => error instanceof Problem && error.status === 404);
});

test("a voice is trained on several recordings", async () => {
  const { api, trainings } = client();
  const { data } = await api.GET("/voice-trainings/consent");
  assert.equal(data.allowed, true);
  const consent = { statement: data.statement, by: "licence", name: "Nobody" };
  const made = await trainings.create({ soundFile: [await recording(), await recording()], title: "By the library", consent });
  assert.equal(made.recordings.length, 2);
  assert.equal(made.consent.name, "Nobody");
  // Two sentences are no voice.
  const job = await trainings.wait(made, { check: false });
  assert.equal(job.error.code, "recordings_unfit");
  await trainings.delete(job);
});

test("a job that is cancelled says so and can be done again", async () => {
  const { splits } = client();
  const job = await splits.create({ inputFile: longRecording(60) });
  await splits.cancel(job);
  await assert.rejects(splits.wait(job), (error) => error instanceof JobCancelled && error.job.id === job.id);
  const names = [];
  for await (const event of splits.events(job)) names.push(event.event);
  assert.deepEqual([names[0], names.at(-1)], ["created", "ended"]);
  const again = await splits.retry(job);
  assert.equal(again.retryOf, job.id);
  await assert.rejects(splits.wait(again, { signal: AbortSignal.timeout(200) }), { name: "TimeoutError" });
  await splits.cancel(again);
  assert.equal((await splits.wait(again, { check: false })).status, "cancelled");
  await splits.delete(again);
  for await (const one of splits.list({ status: "cancelled" })) assert.notEqual(one.id, again.id);
});

test("what is wrong with a request is told by field", async () => {
  const request = { soundFile: await recording(), voiceModelId: await voice(), pitchShift: 100, conversionStrength: 2 };
  await assert.rejects(client().conversions.create(request), (error) => {
    assert.ok(error instanceof Problem);
    assert.deepEqual([error.status, error.code, error.name], [422, "E_VALIDATION_FAILURE", "Problem"]);
    assert.equal(error.errors.length, 2);
    assert.deepEqual([error.field("pitchShift").rule, error.field("pitchShift").args.max], ["range", 24]);
    assert.ok(error.requestId);
    return true;
  });
  await assert.rejects(client(undefined, { key: "no.key" }).api.GET("/me"), { code: "E_UNAUTHORIZED_ACCESS" });
});

test("a request that is sent twice makes one job", async () => {
  const { conversions } = client();
  const request = { soundFile: await recording(), voiceModelId: await voice() };
  const once = { idempotencyKey: crypto.randomUUID() };
  const [first, second] = await Promise.all([conversions.create(request, once), conversions.create(request, once)]);
  assert.equal(first.id, second.id);
  const ids = [];
  for await (const job of client().jobs({ kind: "voice-conversion" })) ids.push(job.id);
  assert.equal(ids.filter((id) => id === first.id).length, 1);
});

test("downloads that fail leave nothing behind", async (t) => {
  const path = await folder(t);
  await assert.rejects(save(client(undefined, { retries: 0 }), `${process.env.VOCALHOST_URL}/api/v1/files/1/2/3`, join(path, "file.wav")), Problem);
  assert.deepEqual(await readdir(path), []);
});
