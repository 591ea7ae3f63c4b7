// WAV files, as results are downloaded.
import assert from "node:assert/strict";

/** The chunk `name` of a WAV file. */
function chunk(file, name) {
  for (let at = 12; at + 8 <= file.length; at += 8 + file.readUInt32LE(at + 4) + (file.readUInt32LE(at + 4) % 2)) {
    if (file.toString("latin1", at, at + 4) === name) return file.subarray(at + 8, at + 8 + file.readUInt32LE(at + 4));
  }
  return assert.fail(`no chunk ${name}`);
}

/** The samples of a WAV file of 24 bits or 32-bit floats, a list for each channel. */
export function samples(file) {
  const format = chunk(file, "fmt ");
  const data = chunk(file, "data");
  const [count, bytes] = [format.readUInt16LE(2), format.readUInt16LE(14) / 8];
  const one = bytes === 3 ? (at) => data.readIntLE(at, 3) / 2 ** 23 : (at) => data.readFloatLE(at);
  const frames = data.length / bytes / count;
  return Array.from({ length: count }, (_, channel) => Float64Array.from({ length: frames }, (_, frame) => one((frame * count + channel) * bytes)));
}
