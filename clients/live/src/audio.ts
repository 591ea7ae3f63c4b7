// Microphone and headphones of a browser, for a live conversion.
import { Emitter } from "./events.js";
import { CAPTURE, PLAYOUT, type FromCapture, type FromPlayout, type Level, type PlayoutStats, type ToPlayout } from "./worklet.js";

/** The rates that a server takes. */
const LOWEST_RATE = 16_000;
const HIGHEST_RATE = 48_000;

export interface AudioOptions {
  /** Where the module `vocalhost-live/worklet` lies, for the browser to load. */
  worklet: string | URL;
  /** Which microphone, by its `deviceId`; the usual one without it. */
  device?: string;
}

export interface AudioEvents {
  /** 20 ms of what the microphone hears. */
  sound: Float32Array<ArrayBuffer>;
  /** How loud that is, ten times a second. */
  input: Level;
  /** How loud it is what is heard, and how the buffer is, ten times a second. */
  output: Level & PlayoutStats;
  /** The microphone was taken away. */
  lost: undefined;
}

/** An open microphone, as it is: no echo cancelling, no noise suppression, no gain of the browser's; and a way to the headphones. */
export class LiveAudio extends Emitter<AudioEvents> {
  private constructor(
    private readonly context: AudioContext,
    private readonly stream: MediaStream,
    private readonly source: MediaStreamAudioSourceNode,
    private readonly capture: AudioWorkletNode,
    private readonly player: AudioWorkletNode,
  ) {
    super();
    capture.port.onmessage = ({ data }: MessageEvent<FromCapture>) => {
      if (data.is === "sound") this.tell("sound", data.samples);
      else this.tell("input", data);
    };
    player.port.onmessage = ({ data }: MessageEvent<FromPlayout>) => this.tell("output", data);
    for (const track of stream.getAudioTracks()) track.onended = () => this.tell("lost", undefined);
    source.connect(capture);
    player.connect(context.destination);
  }

  /** Opens the microphone, which the browser asks the person about, in answer to a press. Fails as `getUserMedia` does. */
  static async open({ worklet, device = "" }: AudioOptions): Promise<LiveAudio> {
    // Pages that came without TLS from another machine have no microphones.
    if (!("mediaDevices" in navigator)) throw new DOMException("a page has a microphone only over https or on this machine", "SecurityError");
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: {
        ...(device === "" ? {} : { deviceId: { exact: device } }),
        echoCancellation: false,
        noiseSuppression: false,
        autoGainControl: false,
        channelCount: { ideal: 1 },
      },
    });
    let context: AudioContext | undefined;
    try {
      context = await running();
      await context.audioWorklet.addModule(worklet);
      const source = context.createMediaStreamSource(stream);
      const one = { channelCount: 1, channelCountMode: "explicit" } as const;
      const capture = new AudioWorkletNode(context, CAPTURE, { numberOfInputs: 1, numberOfOutputs: 0, ...one });
      const player = new AudioWorkletNode(context, PLAYOUT, { numberOfInputs: 0, numberOfOutputs: 1, outputChannelCount: [1] });
      return new LiveAudio(context, stream, source, capture, player);
    } catch (error) {
      for (const track of stream.getTracks()) track.stop();
      await context?.close();
      throw error;
    }
  }

  /** The rate of both directions: that of the browser's own sound where a server takes it. */
  get sampleRate(): number {
    return this.context.sampleRate;
  }

  /** The microphone that is open. */
  get device(): string {
    return this.stream.getAudioTracks()[0]?.getSettings().deviceId ?? "";
  }

  /** From the sound card's input, and to its output, in milliseconds, as far as the browser knows. */
  get hardwareMs(): { input: number; output: number } {
    const settings = this.stream.getAudioTracks()[0]?.getSettings() as (MediaTrackSettings & { latency?: number }) | undefined;
    return { input: (settings?.latency ?? 0) * 1000, output: ((this.context.outputLatency ?? 0) || this.context.baseLatency) * 1000 };
  }

  /** Has sound played. */
  play(samples: Float32Array<ArrayBuffer>): void {
    // A copy of its own: it moves to the audio thread, and others may want it, too.
    const copy = samples.slice();
    this.player.port.postMessage({ is: "sound", samples: copy } satisfies ToPlayout, [copy.buffer]);
  }

  /** No more sound will come to be played. */
  end(): void {
    this.player.port.postMessage({ is: "end" } satisfies ToPlayout);
  }

  /** Gives back the microphone. */
  async close(): Promise<void> {
    for (const track of this.stream.getTracks()) {
      track.onended = null;
      track.stop();
    }
    this.source.disconnect();
    this.capture.port.onmessage = null;
    this.player.port.onmessage = null;
    if (this.context.state !== "closed") await this.context.close();
  }
}

async function running(): Promise<AudioContext> {
  let context = new AudioContext({ latencyHint: "interactive" });
  if (context.sampleRate > HIGHEST_RATE || context.sampleRate < LOWEST_RATE) {
    await context.close();
    context = new AudioContext({ latencyHint: "interactive", sampleRate: HIGHEST_RATE });
  }
  if (context.state !== "running") await context.resume();
  return context;
}
