import assert from "node:assert/strict";
import { test } from "node:test";

import { assertQuiet, newPage, startBrowser } from "../lib/browser.mjs";
import { assertAccessible, downloaded, newJob, pickFile, signIn } from "../lib/page.mjs";
import { ended, fixture, newKey } from "../lib/server.mjs";
import { samples } from "../lib/wav.mjs";

const RECORDING = fixture("sound/speech.mp3");
const browser = await startBrowser();

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

test("stems stay in step to the sample over ten minutes and twenty seeks", async () => {
  const { page } = await parted("split", "stem-splits", "console-drift");
  const heard = await page.evaluate(async () => {
    const { name } = performance.getEntriesByType("resource").find((one) => /assets\/mixer-[^/]*\.js$/.test(one.name));
    const { Mixer } = await import(name);
    const [rate, seconds, seeks] = [8000, 600, 20];
    // Each stem is there twice, once upside down: as long as all are in step, nothing is heard.
    let seed = 1;
    const noise = Float32Array.from({ length: rate * seconds }, () => (seed = (seed * 48271) % 2147483647) / 2147483647 - 0.5);
    const stems = [1, -1, 1, -1].map((gain) => {
      const buffer = new AudioBuffer({ length: noise.length, sampleRate: rate });
      buffer.copyToChannel(noise.map((sample) => sample * gain), 0);
      return buffer;
    });
    const run = async (strips) => {
      const offline = new OfflineAudioContext(2, rate * seconds, rate);
      const mixer = new Mixer(async () => offline);
      mixer.set(stems, strips);
      await mixer.play();
      for (let i = 1; i <= seeks; i += 1) {
        void offline.suspend((i * seconds) / (seeks + 1)).then(async () => {
          mixer.seek((seconds * ((i * 7919) % 997)) / 997);
          await Promise.resolve();
          await offline.resume();
        });
      }
      const sound = await offline.startRendering();
      mixer.pause();
      const samples = sound.getChannelData(0);
      return { most: samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0), sounding: samples.filter((sample) => sample !== 0).length / samples.length };
    };
    const plain = { gain: 0, pan: 0, muted: false, solo: false };
    return { all: await run(stems.map(() => plain)), three: await run(stems.map((_, i) => ({ ...plain, muted: i === 3 }))) };
  });
  assert.equal(heard.all.most, 0);
  // With one of them muted the rest is heard nearly all the time, so something did play.
  assert(heard.three.sounding > 0.5, JSON.stringify(heard));
});
