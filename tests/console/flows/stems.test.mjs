import assert from "node:assert/strict";
import { test } from "node:test";

import { assertQuiet, newPage, startBrowser } from "../lib/browser.mjs";
import { assertAccessible, downloaded, newJob, pickFile, signIn } from "../lib/page.mjs";
import { ended, fixture, newKey } from "../lib/server.mjs";

const RECORDING = fixture("sound/speech.mp3");
const browser = await startBrowser();

/** The chunk `name` of a WAV file. */
function chunk(file, name) {
  for (let at = 12; at + 8 <= file.length; at += 8 + file.readUInt32LE(at + 4) + (file.readUInt32LE(at + 4) % 2)) {
    if (file.toString("latin1", at, at + 4) === name) return file.subarray(at + 8, at + 8 + file.readUInt32LE(at + 4));
  }
  return assert.fail(`no chunk ${name}`);
}

/** The samples of a WAV file of 24 bits or 32-bit floats, a list for each channel. */
function samples(file) {
  const format = chunk(file, "fmt ");
  const data = chunk(file, "data");
  const [count, bytes] = [format.readUInt16LE(2), format.readUInt16LE(14) / 8];
  const one = bytes === 3 ? (at) => data.readIntLE(at, 3) / 2 ** 23 : (at) => data.readFloatLE(at);
  const frames = data.length / bytes / count;
  return Array.from({ length: count }, (_, channel) => Float64Array.from({ length: frames }, (_, frame) => one((frame * count + channel) * bytes)));
}

/** Has the recording taken apart on the screen `screen`, and gives the page with the mixer and the job's record. */
async function parted(screen, collection, user) {
  const { key } = await newKey(user);
  const page = await newPage(browser);
  await signIn(page, { key, screen: `#/${screen}` });
  await pickFile(page, RECORDING);
  await page.getByRole("button", { name: screen === "split" ? "Split" : "Separate", exact: true }).click();
  const id = await newJob(collection, [], { key });
  const record = await ended(`/${collection}/${id}`, { key });
  assert.equal(record.status, "success");
  await page.getByRole("button", { name: "Play the mix" }).waitFor();
  return { page, record };
}

test("what is saved of a mix is the sum of the stems with their levels, sample by sample", async () => {
  const { page, record } = await parted("split", "stem-splits", "console-splits");
  const gain = page.getByLabel("Volume of Vocals (dB)");
  await gain.fill("-6");
  await gain.press("Enter");
  const pan = page.getByLabel("Balance of Bass", { exact: true }).first();
  await pan.fill("0.5");
  await pan.press("Enter");
  await page.getByRole("button", { name: "Mute Drums" }).click();
  const save = page.getByRole("button", { name: "Save what is heard" });
  const { bytes } = await downloaded(page, () => save.click());
  const levels = { vocals: [10 ** (-6 / 20), 10 ** (-6 / 20)], drums: [0, 0], bass: [0.5, 1], other: [1, 1] };
  const stems = await Promise.all(
    // The backing is drums, bass and the rest once more, and no part of the mixer.
    record.stemFileUrls.filter(({ instrument }) => instrument !== "backing").map(async ({ instrument, url }) => ({
      level: levels[instrument],
      channels: samples(Buffer.from(await (await fetch(url)).arrayBuffer())),
    })),
  );
  const mix = samples(bytes);
  assert.equal(mix.length, 2);
  for (const [side, heard] of mix.entries()) {
    const source = (channels) => channels[Math.min(side, channels.length - 1)];
    assert.equal(heard.length, source(stems[0].channels).length);
    let worst = 0;
    for (let frame = 0; frame < heard.length; frame += 1) {
      const sum = stems.reduce((sum, { level, channels }) => sum + source(channels)[frame] * level[side], 0);
      worst = Math.max(worst, Math.abs(heard[frame] - Math.fround(sum)));
    }
    // The rounding to a float of 32 bits, which the order of a sum may move by a step.
    assert(worst <= 2 ** -24, `channel ${side} is off by ${worst}`);
  }
  assertQuiet(page, [/401/]);
});

test("stems are heard together, from where one likes, alone and over and over", async () => {
  const { page } = await parted("separate", "vocal-separations", "console-separates");
  await assertAccessible(page, "separate");
  const clock = () => page.getByRole("slider", { name: "Waveform: Vocals" }).getAttribute("aria-valuetext");
  await page.getByRole("button", { name: "Only Vocals" }).click();
  // The recording is short: without the loop it would be over before the flow is.
  await page.getByRole("button", { name: "Loop from here" }).click();
  await page.getByRole("button", { name: "No loop" }).waitFor();
  const before = await clock();
  await page.getByRole("button", { name: "Play the mix" }).click();
  await page.getByRole("button", { name: "Pause the mix" }).waitFor();
  const lanes = page.getByRole("slider", { name: /^Waveform:/ });
  await lanes.first().focus();
  for (let count = 0; count < 3; count += 1) await page.keyboard.press("ArrowRight");
  await page.waitForFunction((text) => document.querySelector("[aria-label='Waveform: Vocals']").getAttribute("aria-valuetext") !== text, before);
  // All lanes have one clock.
  const places = await lanes.evaluateAll((all) => all.map((lane) => lane.getAttribute("aria-valuenow")));
  assert.equal(new Set(places).size, 1, places.join());
  await page.getByRole("button", { name: "Pause the mix" }).click();
  assertQuiet(page, [/401/]);
});
