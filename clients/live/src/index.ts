// Live conversions without a sound card: PCM in, PCM out. `vocalhost-live/browser` has microphone and headphones.
export { connect, create, LiveProblem, type Asked, type Made } from "./connect.js";
export { BadFrame, bytesPerSample, Cutter, decodeFrame, elapsed, encodeFrame, toInt16, type SampleFormat, type SoundFrame } from "./frames.js";
export * from "./messages.js";
export { Recorder } from "./recorder.js";
export { Closed, LiveSession, Refused, type End, type SessionEvents, type SessionOptions } from "./session.js";
