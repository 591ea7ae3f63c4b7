// Lines that break, and servers that are busy.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { JobFailed, Problem, Unreachable, UploadBroken } from "../dist/index.js";
import { URL_OF_SERVER, brokenLine, client, longRecording, recording, voice } from "./support.mjs";

const recordOf = async (upload) => {
  const { data } = await client().api.GET("/uploads/{id}", { params: { path: { id: upload.slice("upload:".length) } } });
  return data;
};

test("an upload that was broken in the middle goes on there", async (t) => {
  const file = longRecording(100);
  const line = await brokenLine(t, 6_000_000);
  const told = [];
  const upload = await client(line.url).upload(file, { onProgress: (sent) => told.push(sent) });
  assert.equal(line.breaks, 1);
  assert.equal(told.at(-1), file.size);
  // What arrived before the line broke was not sent again: the pieces do not begin at their round places any more.
  assert.ok(told.slice(0, -1).some((sent) => sent % (4 << 20) !== 0), told.join());
  assert.ok((await recordOf(upload)).isComplete);
  const { splits } = client();
  await splits.cancel(await splits.create({ inputFile: upload, stems: ["drums"] }));
});

test("an upload that gave up goes on later", async (t) => {
  const file = longRecording(100);
  const line = await brokenLine(t, 6_000_000);
  const broken = await client(line.url, { retries: 0 }).upload(file).catch((error) => error);
  assert.ok(broken instanceof UploadBroken, String(broken));
  assert.equal(await client().upload(file, { to: broken.upload }), broken.upload);
  assert.ok((await recordOf(broken.upload)).isComplete);
  await assert.rejects(client().upload(new Blob(["another file"]), { to: broken.upload }), RangeError);
});

test("a download that was broken goes on and is the same", async (t) => {
  const { conversions } = client();
  const job = await conversions.wait(await conversions.create({ soundFile: await recording(), voiceModelId: await voice() }));
  const whole = await client().download(job.outputFileUrl);
  assert.ok(whole.size > 250_000);
  const line = await brokenLine(t, 200_000, "down");
  const told = [];
  const link = job.outputFileUrl.replace(new URL(URL_OF_SERVER).origin, line.url);
  const parts = await client().download(link, { onProgress: (received) => told.push(received) });
  assert.equal(line.breaks, 1);
  assert.deepEqual(told, told.toSorted((a, b) => a - b));
  assert.deepEqual(Buffer.from(await parts.arrayBuffer()), Buffer.from(await whole.arrayBuffer()));
});

test("waiting goes on where the events broke off", async (t) => {
  const line = await brokenLine(t, 100, "down");
  const job = await client().conversions.create({ soundFile: await recording(), voiceModelId: await voice() });
  assert.equal((await client(line.url).conversions.wait(job)).status, "success");
  assert.equal(line.breaks, 1);
});

/** A server that refuses as it is told, one request each, and then answers. */
async function busy(t, refusals) {
  const seen = [];
  const server = createServer((request, response) => {
    seen.push({ at: performance.now(), key: request.headers["idempotency-key"] });
    const [status, pause] = refusals.shift() ?? [200];
    request.resume();
    response.writeHead(status, pause ? { "retry-after": pause } : {});
    response.end(status === 200 ? '{"id": 1}' : "<h1>busy</h1>");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { seen, client: client(`http://127.0.0.1:${server.address().port}`) };
}

const blend = { modelId1: 1, modelId2: 2, alpha: 0.5 };

test("a refused request is sent again after the pause under the same key", async (t) => {
  for (const [name, send] of Object.entries({
    jobs: (one) => one.blends.create(blend),
    api: (one) => one.api.POST("/voice-blender", { body: blend }).then(({ data }) => data),
  })) {
    const { seen, client } = await busy(t, [[429, "1"], [503, "1"]]);
    assert.deepEqual(await send(client), { id: 1 }, name);
    assert.equal(seen.length, 3);
    assert.ok(seen[2].at - seen[0].at >= 1_990);
    assert.equal(new Set(seen.map((one) => one.key)).size, 1);
    assert.ok(seen[0].key);
  }
});

test("a pause that is too long is left to the caller, and what is wrong is not sent again", async (t) => {
  for (const [status, pause] of [[429, "3600"], [422, ""]]) {
    const { seen, client } = await busy(t, [[status, pause]]);
    await assert.rejects(client.blends.create(blend), (error) => error instanceof Problem && error.code === `E_HTTP_${status}`);
    assert.equal(seen.length, 1);
  }
});

test("a job that fails says why where no events come through", async (t) => {
  const asked = [];
  const error = { code: "timeout", message: "It took too long.", retryable: true };
  const server = createServer((request, response) => {
    const { prefer } = request.headers;
    asked.push(prefer);
    const job = { id: 7, status: prefer ? "error" : "running", progress: 50, stage: "inference", error };
    response.end(request.url.endsWith("/events") ? "<h1>events?</h1>" : JSON.stringify(job));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  await assert.rejects(client(`http://127.0.0.1:${server.address().port}`).conversions.wait(7), (failed) => {
    assert.ok(failed instanceof JobFailed);
    assert.deepEqual([failed.job.error, failed.message], [error, error.message]);
    return true;
  });
  assert.deepEqual(asked, [undefined, undefined, "wait=20"]);
});

test("a server that is not there is named as that", async () => {
  await assert.rejects(client("http://127.0.0.1:9", { retries: 1 }).blends.get(1), Unreachable);
  assert.throws(() => client("nowhere"), TypeError);
});
