// Recording from a microphone as it is: no echo cancelling, no noise suppression, no gain of the browser's.
import worklet from "./capture.worklet.js?url";
import { Problem } from "./api";
import { wake, wav } from "./sound";
import { t, type Key } from "./strings";

export interface Level {
  /** Largest sample, 0 to 1. */
  peak: number;
  rms: number;
}

/** Why a microphone cannot be opened, by the name of the error. */
const REASONS: Record<string, Key> = {
  NotAllowedError: "convert.record.denied",
  NotFoundError: "convert.record.none",
  SecurityError: "convert.record.insecure",
};

/** What to tell when `getUserMedia` has failed. */
export function microphoneProblem(error: unknown): Problem {
  const key = error instanceof DOMException ? REASONS[error.name] : undefined;
  return new Problem(0, "E_MICROPHONE", t("convert.record.failed"), key === undefined ? String(error) : t(key), "");
}

export class Microphone {
  private pieces: Float32Array[] = [];

  private constructor(
    private readonly context: AudioContext,
    private readonly stream: MediaStream,
    private readonly source: MediaStreamAudioSourceNode,
    private readonly node: AudioWorkletNode,
  ) {}

  /** Opens a microphone, the usual one without a `device`. Asks the person the first time. */
  static async open(device: string, onLevel: (level: Level) => void, onFrames: (seconds: number) => void): Promise<Microphone> {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: {
        deviceId: device === "" ? undefined : { exact: device },
        echoCancellation: false,
        noiseSuppression: false,
        autoGainControl: false,
        channelCount: { ideal: 1 },
      },
    });
    try {
      const context = await wake();
      await context.audioWorklet.addModule(worklet);
      const source = context.createMediaStreamSource(stream);
      const node = new AudioWorkletNode(context, "capture", {
        numberOfInputs: 1,
        numberOfOutputs: 0,
        channelCount: 1,
        channelCountMode: "explicit",
      });
      source.connect(node);
      const microphone = new Microphone(context, stream, source, node);
      let frames = 0;
      node.port.onmessage = ({ data }: MessageEvent<{ samples: Float32Array } | Level>) => {
        if ("samples" in data) {
          microphone.pieces.push(data.samples);
          frames += data.samples.length;
          onFrames(frames / context.sampleRate);
        } else onLevel(data);
      };
      return microphone;
    } catch (error) {
      for (const track of stream.getTracks()) track.stop();
      throw error;
    }
  }

  /** The device that is open. */
  get device(): string {
    return this.stream.getAudioTracks()[0]?.getSettings().deviceId ?? "";
  }

  /** Some clicks before the recording, `onBeat` with how many are left. Resolves at the last one's end. */
  async countIn(beats: number, seconds: number, onBeat: (left: number) => void, signal: AbortSignal): Promise<void> {
    const start = this.context.currentTime + 0.05;
    for (let beat = 0; beat < beats; beat += 1) {
      const tone = this.context.createOscillator();
      const gain = this.context.createGain();
      const at = start + beat * seconds;
      tone.frequency.value = beat === 0 ? 1320 : 880;
      gain.gain.setValueAtTime(0, at);
      gain.gain.linearRampToValueAtTime(0.25, at + 0.003);
      gain.gain.exponentialRampToValueAtTime(0.0005, at + 0.08);
      tone.connect(gain).connect(this.context.destination);
      tone.start(at);
      tone.stop(at + 0.1);
      signal.addEventListener("abort", () => tone.disconnect());
    }
    for (let beat = 0; beat < beats && !signal.aborted; beat += 1) {
      onBeat(beats - beat);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }

  record(): void {
    this.pieces = [];
    this.node.port.postMessage("record");
  }

  /** Ends the recording: a WAV file of floats, as the browser gave them. */
  stop(name: string): File {
    this.node.port.postMessage("stop");
    const samples = new Float32Array(this.pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of this.pieces) {
      samples.set(piece, at);
      at += piece.length;
    }
    this.pieces = [];
    return new File([wav([samples], this.context.sampleRate, true)], name, { type: "audio/wav" });
  }

  close(): void {
    this.source.disconnect();
    this.node.port.onmessage = null;
    for (const track of this.stream.getTracks()) track.stop();
  }
}
