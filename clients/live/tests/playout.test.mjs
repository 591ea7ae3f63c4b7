// The buffer between network and ear: what comes out of it, sample by sample.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Playout } from "../dist/worklet.js";

const RATE = 48_000;
const QUANTUM = 128;
const MS = RATE / 1000;

/** A sine, whose steps from sample to sample are small. */
const HZ = 187;
const sine = (at) => 0.5 * Math.sin((2 * Math.PI * HZ * at) / RATE);
const LARGEST_STEP = 0.5 * 2 * Math.sin((Math.PI * HZ) / RATE);

/** Plays for `ms`; `arrivals` are `[ms, samples]`, when sound of which length comes. Gives all that was heard. */
function played(playout, ms, arrivals, sound = sine) {
  const out = new Float32Array(Math.ceil((ms * MS) / QUANTUM) * QUANTUM);
  const queue = [...arrivals].sort((a, b) => a[0] - b[0]);
  let sent = 0;
  const levels = [];
  for (let at = 0; at < out.length; at += QUANTUM) {
    while (queue.length > 0 && queue[0][0] * MS <= at) {
      const [, length] = queue.shift();
      playout.push(Float32Array.from({ length }, () => sound(sent++)));
    }
    playout.pull(out.subarray(at, at + QUANTUM));
    levels.push(playout.stats.levelMs);
  }
  return { out, levels };
}

/** Sound of `ms` in pieces of `piece` ms, each `late(n)` ms after its time. */
const arrivals = (ms, piece, late = () => 0) => Array.from({ length: Math.floor(ms / piece) }, (_, n) => [n * piece + late(n), piece * MS]);

function largestStep(samples) {
  let most = 0;
  for (let i = 1; i < samples.length; i += 1) most = Math.max(most, Math.abs(samples[i] - samples[i - 1]));
  return most;
}

test("what comes in time is heard as it is, 40 ms after it came", () => {
  for (const piece of [20, 160]) {
    const playout = new Playout(RATE);
    const { out } = played(playout, 2000, arrivals(2400, piece));
    const { underruns, gapMs, targetMs, skippedMs } = playout.stats;
    assert.deepEqual([underruns, gapMs, targetMs, skippedMs], [0, 0, 40, 0], `pieces of ${piece} ms`);
    const from = 40 * MS - 1;
    assert.ok(out.subarray(0, from).every((sample) => sample === 0), "silence before");
    if (piece === 160) {
      // After the fade at the start nothing was touched.
      for (let i = 300; i < 1000 * MS; i += 1) assert.ok(Math.abs(out[from + i] - sine(i)) < 1e-6, `sample ${i}`);
    }
    assert.ok(largestStep(out) < LARGEST_STEP * 2, "no clicks");
  }
});

test("it says how long what came last waits", () => {
  for (const [piece, wanted] of [
    [20, 40],
    [160, 200],
  ]) {
    const playout = new Playout(RATE);
    played(playout, 2000, arrivals(2400, piece));
    const { waitMs } = playout.stats;
    // A piece that came after a quantum had begun is heard from the next one on.
    assert.ok(Math.abs(waitMs - wanted) <= 20, `${waitMs} ms with pieces of ${piece}`);
  }
});

test("a gap is hidden without a click and counted, and what follows waits longer", () => {
  const playout = new Playout(RATE);
  const late = (n) => (n >= 50 ? 300 : 0);
  const { out } = played(playout, 3000, arrivals(3400, 20, late));
  const stats = playout.stats;
  assert.equal(stats.underruns, 1);
  assert.equal(stats.targetMs, 60);
  assert.ok(stats.gapMs > 250 && stats.gapMs < 400, `${stats.gapMs}`);
  assert.ok(largestStep(out) < LARGEST_STEP * 4, `a step of ${largestStep(out)}`);
});

test("sound that is a little late goes on in its own pitch, and is no gap", () => {
  const playout = new Playout(RATE);
  // One piece comes 70 ms late, with all that follow it until the line has caught up.
  const late = (n) => (n >= 50 && n < 54 ? 70 - (n - 50) * 20 : 0);
  const { out } = played(playout, 1600, arrivals(2000, 20, late));
  const { underruns, gapMs, bridgedMs, targetMs } = playout.stats;
  assert.deepEqual([underruns, gapMs], [0, 0]);
  assert.ok(bridgedMs >= 30 && bridgedMs <= 60, `${bridgedMs} ms`);
  assert.ok(targetMs > 40 && targetMs <= 120, `${targetMs} ms`);
  assert.ok(largestStep(out) < LARGEST_STEP * 2, `a step of ${largestStep(out)}`);
  // It sounds all along: each period has its peak.
  const period = RATE / HZ;
  for (let at = 60 * MS; at + period < out.length; at += period) {
    const peak = out.subarray(at, at + period).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    assert.ok(peak > 0.4, `${peak} at ${at / MS} ms`);
  }
});

test("the end is no gap", () => {
  const playout = new Playout(RATE);
  played(playout, 100, arrivals(200, 160));
  playout.end();
  const { out } = played(playout, 300, []);
  assert.deepEqual([playout.stats.underruns, playout.stats.gapMs, playout.stats.isPlaying], [0, 0, false]);
  assert.ok(out.subarray(-QUANTUM).every((sample) => sample === 0));
});

test("sound that comes now early, now late, ends up without gaps, and the waiting is bounded", () => {
  // Between 0 and 70 ms late, always the same sequence.
  let state = 1;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const jitter = Array.from({ length: 1500 }, () => 70 * random());
  const playout = new Playout(RATE);
  let sent = 0;
  const queue = arrivals(30_000, 20, (n) => jitter[n]).sort((a, b) => a[0] - b[0]);
  const block = new Float32Array(QUANTUM);
  let gapsAtHalf = 0;
  for (let at = 0; at < 30_000 * MS; at += QUANTUM) {
    while (queue.length > 0 && queue[0][0] * MS <= at) playout.push(Float32Array.from({ length: queue.shift()[1] }, () => sine(sent++)));
    playout.pull(block);
    assert.ok(playout.stats.levelMs < 400 && playout.stats.targetMs <= 120, JSON.stringify(playout.stats));
    if (at < 15_000 * MS) gapsAtHalf = playout.stats.underruns;
  }
  assert.ok(gapsAtHalf <= 6, `${gapsAtHalf} gaps at first`);
  assert.ok(playout.stats.underruns - gapsAtHalf <= 1, `${playout.stats.underruns - gapsAtHalf} gaps later`);
});

test("after a stall it is in time again within a second, and nothing clicks", () => {
  const playout = new Playout(RATE);
  // From second 2 to 2.8 nothing comes; then all of it at once.
  const late = (n) => (n >= 100 && n < 140 ? (140 - n) * 20 : 0);
  const { out, levels } = played(playout, 6000, arrivals(6400, 20, late));
  const level = (ms) => levels[Math.floor((ms * MS) / QUANTUM)];
  assert.ok(level(2900) > 500, `${level(2900)} ms wait after the stall`);
  for (let ms = 3900; ms < 6000; ms += 10) assert.ok(level(ms) < 130, `${level(ms)} ms wait at ${ms}`);
  assert.ok(playout.stats.skippedMs > 500);
  assert.equal(playout.stats.underruns, 1);
  assert.ok(largestStep(out) < LARGEST_STEP * 4, `a step of ${largestStep(out)}`);
});

test("two clocks that differ by 0.1 % neither run dry nor fill it", () => {
  for (const drift of [-0.001, 0.001]) {
    const playout = new Playout(RATE);
    const { out, levels } = played(playout, 60_000, arrivals(61_000, 20).map(([at, length]) => [at * (1 + drift), length]));
    assert.equal(playout.stats.underruns, 0, `${drift}`);
    assert.ok(Math.max(...levels.slice(1000)) < 100, `${drift}: ${Math.max(...levels.slice(1000))}`);
    assert.ok(largestStep(out) < LARGEST_STEP * 4);
  }
});

test("more than a second is never kept", () => {
  const playout = new Playout(RATE);
  const block = new Float32Array(QUANTUM);
  playout.push(new Float32Array(3000 * MS).fill(0.1));
  assert.ok(playout.stats.levelMs <= 1000, `${playout.stats.levelMs}`);
  for (let i = 0; i < 30; i += 1) {
    playout.push(new Float32Array(700 * MS).fill(0.1));
    assert.ok(playout.stats.levelMs <= 1000, `${playout.stats.levelMs}`);
    playout.pull(block);
  }
});
