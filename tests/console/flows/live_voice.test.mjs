// Speaking live: microphone, stream, headphones, and what is told of them. Chromium's fake microphone sings over and over.
import assert from "node:assert/strict";
import { test } from "node:test";

import { assertQuiet, newPage, startBrowser } from "../lib/browser.mjs";
import { assertAccessible, downloaded, signIn } from "../lib/page.mjs";
import { api, fixture, json, newKey } from "../lib/server.mjs";
import { samples } from "../lib/wav.mjs";

// The server of the suite has a place for live conversions (`live_workers`); one that is older than them has not even the address.
const skip = (await api("/live-conversions")).status === 404 ? "this server is older than live conversions" : false;
const browser = await startBrowser({ microphone: fixture("sound/sung.wav") });
const PROBLEM = { contentType: "application/problem+json" };

/** The screen with a voice chosen and its terms accepted, as far as pressing start. */
async function withVoice(user, { at = browser, before = async () => {} } = {}) {
  const { key } = await newKey(user);
  const page = await newPage(at);
  await before(page);
  await signIn(page, { key, screen: "#/live" });
  const start = page.getByRole("button", { name: "Start", exact: true });
  assert(await start.isDisabled(), "without a voice there is nothing to start");
  await page.getByRole("radio").first().check({ force: true });
  await page.getByLabel("What the server keeps").selectOption("both");
  await start.click();
  await page.getByRole("button", { name: "I keep to these terms" }).click();
  return { page, key, start };
}

/** What a line of the facts says, as a number. */
async function fact(page, name) {
  const line = page.locator(".live-facts > div").filter({ has: page.getByText(name, { exact: true }) });
  return Number.parseFloat((await line.locator("dd").first().textContent()) ?? "");
}

/** Waits until a line of the facts says a number that is right. */
async function until(page, name, isRight) {
  for (const end = Date.now() + 120_000; Date.now() < end; await page.waitForTimeout(100)) {
    if (isRight(await fact(page, name))) return;
  }
  assert.fail(`${name}: ${await fact(page, name)}`);
}

test("somebody speaks, is heard, changes the pitch, records, and stops", { skip }, async () => {
  const applied = [];
  const listen = (page) =>
    page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => typeof payload === "string" && JSON.parse(payload).type === "applied" && applied.push(payload)),
    );
  const { page, key } = await withVoice("console-live-voice", { before: listen });
  const status = page.getByRole("status").getByText("Live", { exact: true });
  await status.waitFor();
  // The microphone is heard, and later what came back.
  for (const name of ["What you say", "What you hear"]) {
    const meter = page.getByRole("meter", { name });
    await page.waitForFunction((element) => Number(element.getAttribute("aria-valuenow")) > -50, await meter.elementHandle());
  }
  const told = await fact(page, "By design");
  assert(told >= 160 && told < 200, `${told} ms by design`);
  // Nobody is heard sooner than the server looks ahead.
  await until(page, "Mouth to ear", (ms) => ms > 160);

  const record = page.getByRole("button", { name: "Record what comes out" });
  await record.click();
  const pitch = page.getByLabel("Pitch (st)");
  await pitch.fill("-5");
  await pitch.press("Enter");
  const chain = page.getByRole("group", { name: "After the voice" });
  await chain.getByRole("button", { name: "Add an effect" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("searchbox").fill("Gain");
  await dialog.getByText("Gain", { exact: true }).click();
  // Two seconds of sound, not of the clock.
  const going = page.getByRole("button", { name: /^Stop recording, (0:(0[2-9]|[1-5]\d)|[1-9])/ });
  await going.click();
  const { bytes, name } = await downloaded(page, () => page.getByRole("link", { name: "WAV of recording 1" }).click());
  assert.match(name, /^Live .*\.wav$/);
  const [sound] = samples(bytes);
  assert(sound.length > 2 * 16_000, `${sound.length} samples`);
  assert(sound.some((sample) => Math.abs(sample) > 0.001), "it is silent");

  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("heading", { name: /^Live conversion \d+ has ended$/ }).waitFor();
  await page.getByRole("status").getByText("Not running").waitFor();
  await page.getByRole("region", { name: "Earlier ones" }).getByText("Stopped.").waitFor();
  const { data } = await json("/live-conversions?order=desc&perPage=1", { key });
  assert.deepEqual([data[0].status, data[0].endReason], ["ended", "stopped"]);
  assert.equal(applied.length, 2, "the pitch and the chain");
  assert(data[0].seconds > 2, `${data[0].seconds} s`);
  await assertAccessible(page, "live, ended");
  // Both sides are kept, and what was said is a recording like any other.
  const kept = await downloaded(page, () => page.getByRole("link", { name: /^Heard: live conversion/ }).first().click());
  assert.equal(kept.name, `live-${data[0].id}-output.wav`);
  assert(Math.abs(samples(kept.bytes)[0].length / data[0].sampleRate - data[0].seconds) < 0.001, "it is as long as it lasted");
  await page.getByRole("button", { name: "Convert what you said as a recording" }).click();
  await page.waitForURL(/#\/convert\/\d+$/);
  const job = await json(`/voice-conversions/${page.url().split("/").at(-1)}`, { key });
  assert.deepEqual([job.pitchShift, job.voiceModelId], [-5, data[0].voiceModelId]);
  await page.goBack();
  await page.getByRole("button", { name: `Remove live conversion ${data[0].id}` }).click();
  await page.getByRole("region", { name: "Earlier ones" }).waitFor({ state: "detached" });
  assertQuiet(page, [/401/]);
});

test("whoever leaves the screen is not listened to any more", { skip }, async () => {
  const { page, key } = await withVoice("console-live-leaves");
  await page.getByRole("status").getByText("Live", { exact: true }).waitFor();
  await assertAccessible(page, "live");
  await page.getByRole("link", { name: "Jobs" }).click();
  for (const end = Date.now() + 120_000; ; await page.waitForTimeout(200)) {
    const { data } = await json("/live-conversions?order=desc&perPage=1", { key });
    if (data[0].status === "ended") break;
    assert(Date.now() < end, "it goes on");
  }
  assertQuiet(page, [/401/]);
});

test("a server without places says so in a plain sentence", async () => {
  const refused = (page) =>
    page.route("**/live-conversions", (route) =>
      route.fulfill({ status: 403, ...PROBLEM, body: JSON.stringify({ code: "E_LIVE_DISABLED", detail: "No.", errors: [] }) }),
    );
  const { page, start } = await withVoice("console-live-none", { before: refused });
  await page.getByText(/This server has no places for live conversions/).waitFor();
  await start.waitFor();
  assertQuiet(page, [/40[134]/]);
});

test("what is wrong is told at its field", async () => {
  const body = JSON.stringify({
    code: "E_VALIDATION_FAILURE",
    detail: "Two fields are wrong.",
    errors: [
      { field: "pitchShift", message: "too high" },
      { field: "post[0].params.gain_db", message: "too loud" },
    ],
  });
  const refused = (page) => page.route("**/live-conversions", (route) => route.fulfill({ status: 422, ...PROBLEM, body }));
  const { page } = await withVoice("console-live-wrong", { before: refused });
  const pitch = page.locator(".field").filter({ has: page.getByRole("slider", { name: "Pitch" }) });
  await pitch.getByText("too high").waitFor();
  await page.locator("section").filter({ has: page.getByRole("group", { name: "After the voice" }) }).last().getByText("too loud").waitFor();
  assertQuiet(page, [/40[14]|422/]);
});

test("a microphone that is not allowed is explained", async () => {
  const without = await startBrowser({ flags: ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream=deny"] });
  const { page, start } = await withVoice("console-live-denied", { at: without });
  await page.getByRole("alert").getByText("No microphone", { exact: true }).waitFor();
  await page.getByRole("alert").getByText(/was not allowed to use a microphone/).waitFor();
  await start.waitFor();
  assertQuiet(page, [/40[14]/]);
});
