// A session and the sound card of a browser together.
import type { LiveAudio } from "./audio.js";
import { Median } from "./events.js";
import type { End, LiveSession } from "./session.js";
import type { PlayoutStats } from "./worklet.js";

/** What lies between mouth and ear, in milliseconds; null where it is not known yet. */
export interface MeasuredLatency {
  /** From the sending of sound to its coming in the other voice: the line, the server's design and its computing. */
  through: number | null;
  /** How long what has come waits in the buffer until its end is heard. */
  playout: number | null;
  /** The sound card and the browser, as far as the browser knows. */
  hardware: number;
  /** All of it. */
  total: number | null;
}

/** What went wrong on the way, since the start. */
export interface Glitches {
  /** Gaps in what was heard here, and how long they were. */
  underruns: number;
  gapMs: number;
  /** Left out here to be in time again. */
  skippedMs: number;
  /** Repeated here because sound was late: short enough not to be a gap. */
  bridgedMs: number;
  /** Not sent, for the line was too slow. */
  unsentMs: number;
}

/** Sends what the microphone hears into a session, and plays what comes back. Both are made by the caller. */
export class Live {
  /** Whether the microphone is heard. The server gets silence otherwise. */
  isMuted = false;
  private buffer: PlayoutStats | null = null;
  private readonly waits = new Median();

  constructor(
    readonly session: LiveSession,
    readonly audio: LiveAudio,
  ) {
    if (session.sampleRate !== audio.sampleRate) throw new RangeError(`the session has ${session.sampleRate} Hz, the sound card ${audio.sampleRate}`);
    audio.on("sound", (samples) => {
      if (session.state === "running") session.send(this.isMuted ? samples.fill(0) : samples);
    });
    audio.on("output", (now) => {
      this.buffer = now;
      if (now.isPlaying) this.waits.add(now.waitMs);
    });
    session.on("sound", ({ samples }) => audio.play(samples));
    audio.on("lost", () => void session.stop());
    void session.ended.then(() => audio.end());
  }

  get latency(): MeasuredLatency {
    const { input, output } = this.audio.hardwareMs;
    const hardware = input + output;
    const through = this.session.throughMs;
    const playout = this.waits.value;
    return { through, playout, hardware, total: through === null || playout === null ? null : through + playout + hardware };
  }

  get glitches(): Glitches {
    const { underruns = 0, gapMs = 0, skippedMs = 0, bridgedMs = 0 } = this.buffer ?? {};
    return { underruns, gapMs, skippedMs, bridgedMs, unsentMs: this.session.unsentMs };
  }

  /** Ends: what was said is heard to its end, then microphone and headphones are given back. */
  async stop(): Promise<End> {
    const ending = this.session.stop();
    // From here on nothing that is missing is a gap.
    this.audio.end();
    const end = await ending;
    await new Promise((done) => setTimeout(done, this.buffer?.levelMs ?? 0));
    await this.audio.close();
    return end;
  }
}
