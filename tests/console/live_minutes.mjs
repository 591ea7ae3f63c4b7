// Speaks live for some time, as somebody at the console does, and tells how that went: gaps, late blocks, and how late what is said is
// heard. Run by `cargo xtask live [SECONDS [LATENCY]]`. Chromium's fake microphone plays a burst of singing every two seconds.
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { assertQuiet, newPage, startBrowser } from "./lib/browser.mjs";
import { signIn } from "./lib/page.mjs";
import { fixture, json, newKey } from "./lib/server.mjs";
import { floats, samples } from "./lib/wav.mjs";

const [seconds, latency] = [Number(process.env.VOCALHOST_LIVE_SECONDS ?? 600), process.env.VOCALHOST_LIVE_LATENCY ?? "balanced"];

assert(seconds > 0, "SECONDS is a number");

/** A burst of singing every two seconds: where one begins can be found in what comes out, too. */
const [RATE, BURST_S, EVERY_S] = [48_000, 0.5, 2];
const microphone = join(tmpdir(), `vocalhost-bursts-${process.pid}.wav`);
const [sung] = samples(await readFile(fixture("sound/sung.wav")));
const loudest = sung.subarray(0, RATE).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
const burst = Float64Array.from({ length: RATE * EVERY_S }, (_, at) => (at < RATE * BURST_S ? (sung[at + RATE / 2] / loudest) * 0.5 : 0));
await writeFile(microphone, floats(burst, RATE));
after(() => rm(microphone, { force: true }));
const browser = await startBrowser({ microphone });

/**
 * Runs in the audio thread, beside the nodes of the console: hears both the microphone and what is played, and says of each burst how many
 * milliseconds lie between its beginnings. One message every two seconds: more of them make gaps of their own.
 */
const EAR = `
class Ear extends AudioWorkletProcessor {
  constructor() {
    super();
    this.sides = [{}, {}].map(() => ({ quiet: 0, began: -1 }));
    this.frame = 0;
  }
  process(inputs) {
    inputs.forEach(([channel], side) => {
      const ear = this.sides[side];
      for (let at = 0; channel !== undefined && at < channel.length; at += 1) {
        if (Math.abs(channel[at]) < 0.05) ear.quiet += 1;
        else {
          if (ear.quiet > sampleRate / 2) this.begins(side, this.frame + at);
          ear.quiet = 0;
        }
      }
    });
    this.frame += 128;
    return true;
  }
  begins(side, frame) {
    this.sides[side].began = frame;
    const said = this.sides[0].began;
    if (side === 1 && said >= 0) this.port.postMessage(((frame - said) / sampleRate) * 1000);
  }
}
registerProcessor("ear", Ear);
`;

/** Has the ear put beside the console's nodes, which are caught as the page makes them. */
function listen(script) {
  window.heard = [];
  const { connect } = AudioNode.prototype;
  let microphone = null;
  AudioNode.prototype.connect = function (to, ...rest) {
    if (this instanceof MediaStreamAudioSourceNode) microphone = this;
    if (to instanceof AudioDestinationNode && microphone?.context === this.context) {
      const module = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
      this.context.audioWorklet.addModule(module).then(() => {
        const ear = new AudioWorkletNode(this.context, "ear", { numberOfInputs: 2, numberOfOutputs: 0 });
        ear.port.onmessage = ({ data }) => window.heard.push(data);
        connect.call(microphone, ear, 0, 0);
        connect.call(this, ear, 0, 1);
      });
    }
    return connect.call(this, to, ...rest);
  };
}

const middle = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const share = (numbers, of) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * of)];

test(`${seconds} seconds, ${latency}`, async () => {
  const { key } = await newKey("console-live-minutes");
  // The ear is no part of the console, which the console's policy would not let in.
  const page = await newPage(browser, { bypassCSP: true });
  await page.addInitScript(listen, EAR);
  const told = [];
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => typeof payload === "string" && told.push(JSON.parse(payload))));
  await signIn(page, { key, screen: "#/live" });
  await page.getByRole("radio").first().check({ force: true });
  await page.getByLabel("How far it looks ahead").selectOption(latency);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("button", { name: "I keep to these terms" }).click();
  await page.getByRole("status").getByText("Live", { exact: true }).waitFor();
  const gaps = [];
  for (const [end, began] = [Date.now() + seconds * 1000, Date.now()]; Date.now() < end; await page.waitForTimeout(Math.min(5_000, Math.max(0, end - Date.now())))) {
    const line = page.locator(".live-facts > div").filter({ has: page.getByText("Gaps that you heard", { exact: true }) });
    const count = Number.parseInt(await line.locator("dd").first().innerText(), 10);
    for (let more = gaps.length; more < count; more += 1) gaps.push(Math.round((Date.now() - began) / 1000));
  }

  const facts = await page.locator(".live-facts > div").allInnerTexts();
  const heard = await page.evaluate(() => window.heard);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("heading", { name: /^Live conversion \d+ has ended$/ }).waitFor();
  const stats = told.filter(({ type }) => type === "stats");
  const { data } = await json("/live-conversions?order=desc&perPage=1", { key });
  for (const fact of facts) console.log(fact.replaceAll("\n", ": "));
  const ms = (number) => `${Math.round(number)} ms`;
  console.log(`blocks: ${ms(middle(stats.map(({ blockMs }) => blockMs.median)))} in the middle, up to ${ms(Math.max(...stats.map(({ blockMs }) => blockMs.p99 ?? 0)))}`);
  if (gaps.length > 0) console.log(`gaps were seen after ${gaps.join(", ")} s`);
  const card = Number(/(\d+) ms sound card/.exec(facts.join())?.[1]);
  const late = (number) => `${ms(number)}, with the sound card ${ms(number + card)}`;
  console.log(`from the beginning of a burst in the microphone to that in what is played: ${late(middle(heard))} (the middle of ${heard.length}); at the 95th percentile ${late(share(heard, 0.95))}`);
  console.log(JSON.stringify({ stats: stats.at(-1), record: data[0] }));
  assert(heard.length > seconds / EVERY_S / 2, `${heard.length} beginnings were heard`);
  assertQuiet(page, [/401/]);
});
