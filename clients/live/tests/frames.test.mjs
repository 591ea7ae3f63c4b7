// The messages, byte by byte, and what is made of pieces.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BadFrame, Cutter, decodeFrame, elapsed, encodeFrame, parse, Recorder, toInt16 } from "../dist/index.js";

test("a message to the server is its number, the clock and the samples, all little-endian", () => {
  const bytes = Buffer.from(encodeFrame(258, 0x0102_0304, Float32Array.of(0, 0.5, -1, 2), "s16le"));
  assert.equal(bytes.toString("hex"), "02010000" + "04030201" + "0000" + "0040" + "0080" + "ff7f");
  const floats = Buffer.from(encodeFrame(0, 0, Float32Array.of(0.25, -3), "f32le"));
  assert.deepEqual([floats.length, floats.readFloatLE(8), floats.readFloatLE(12)], [16, 0.25, -3]);
});

test("number and clock begin anew after 32 bits", () => {
  const bytes = Buffer.from(encodeFrame(2 ** 32 + 7, 2 ** 32 + 12.9, new Float32Array(0), "s16le"));
  assert.deepEqual([bytes.readUInt32LE(0), bytes.readUInt32LE(4)], [7, 12]);
  assert.equal(elapsed(2 ** 32 - 10, 2 ** 32 + 15.5), 25);
  assert.equal(elapsed(2 ** 32 - 10, 15), 25);
  assert.equal(elapsed(100, 460), 360);
});

test("a message from the server has its place as 64 bits", () => {
  const bytes = Buffer.alloc(20);
  bytes.writeUInt32LE(3, 0);
  bytes.writeUInt32LE(4_000_000_000, 4);
  bytes.writeBigUInt64LE(172_800_000n * 48n, 8);
  bytes.writeInt16LE(-32_768, 16);
  bytes.writeInt16LE(16_384, 18);
  const { seq, clock, firstFrame, samples } = decodeFrame(new Uint8Array(bytes).buffer, "s16le");
  assert.deepEqual([seq, clock, firstFrame, [...samples]], [3, 4_000_000_000, 8_294_400_000, [-1, 0.5]]);
});

test("what is no message is told from one", () => {
  for (const length of [0, 15, 17]) assert.throws(() => decodeFrame(new ArrayBuffer(length), "s16le"), BadFrame, String(length));
  assert.throws(() => decodeFrame(new ArrayBuffer(18), "f32le"), BadFrame);
  assert.equal(decodeFrame(new ArrayBuffer(16), "f32le").samples.length, 0);
  assert.throws(() => encodeFrame(0, 0, new Float32Array(40_000), "s16le"), BadFrame);
});

test("samples keep to 16 bits", () => {
  assert.deepEqual([-9, -1, 0, 0.99999, 1, 9].map(toInt16), [-32_768, -32_768, 0, 32_767, 32_767, 32_767]);
});

test("pieces of any length become pieces of one length, none of them lost", () => {
  const cutter = new Cutter(5);
  const pieces = [];
  let next = 0;
  for (const length of [3, 1, 0, 12, 2, 5]) cutter.add(Float32Array.from({ length }, () => next++), (piece) => pieces.push([...piece]));
  assert.deepEqual(pieces, [0, 5, 10, 15].map((from) => [0, 1, 2, 3, 4].map((i) => from + i)));
  assert.deepEqual([...cutter.rest(4)], [20, 21, 22, 0]);
  assert.equal(cutter.rest(4), undefined);
});

test("messages that this version does not know are left alone", () => {
  assert.deepEqual(parse('{"type":"pong","t":5}'), { type: "pong", t: 5 });
  for (const text of ["", "[]", "null", "7", '{"type":"of tomorrow"}', "{"]) assert.equal(parse(text), undefined, text);
});

test("a recording has its sound where it stood, and silence where time was dropped", async () => {
  const recorder = new Recorder(16_000);
  recorder.add({ firstFrame: 1000, samples: Float32Array.of(0.5, -0.5) });
  recorder.add({ firstFrame: 1002, samples: Float32Array.of(0.25) });
  recorder.add({ firstFrame: 1006, samples: Float32Array.of(1) });
  // A place beyond all that a conversion can have is not believed.
  recorder.add({ firstFrame: 2 ** 50, samples: Float32Array.of(-1) });
  const file = Buffer.from(await recorder.wav().arrayBuffer());
  assert.equal(file.toString("latin1", 0, 4) + file.toString("latin1", 8, 16), "RIFFWAVEfmt ");
  assert.deepEqual([file.readUInt32LE(4), file.readUInt32LE(24), file.readUInt32LE(40)], [file.length - 8, 16_000, file.length - 44]);
  const samples = Array.from({ length: (file.length - 44) / 2 }, (_, i) => file.readInt16LE(44 + 2 * i));
  assert.deepEqual(samples, [16_384, -16_384, 8_192, 0, 0, 0, 32_767, -32_768]);
  assert.equal(recorder.seconds, samples.length / 16_000);
});
