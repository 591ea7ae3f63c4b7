// A live conversion over its WebSocket: sound goes in and comes out, parameters change meanwhile. It runs in browsers and in Node.
import { Emitter, Median } from "./events.js";
import { Cutter, decodeFrame, elapsed, encodeFrame, LONGEST_MS, MOST_BYTES, SHORTEST_MS, USUAL_MS, type SampleFormat, type SoundFrame } from "./frames.js";
import { closedBecause, parse, SUBPROTOCOL, type FromServer, type LiveRecord, type Mistake, type Params, type Ready, type Stats, type ToServer, type Warning } from "./messages.js";

/** Changes of parameters are gathered for so long: the server takes one in this time. */
const GATHER_MS = 50;
/** How often the way there and back is measured. */
const PING_MS = 2_000;
/** How long after an error the close is waited for. */
const CLOSING_MS = 100;
/** How long the server may take for what is still inside after `stop`. */
const ENDING_MS = 10_000;

export interface SessionOptions {
  /** `ws:`, `wss:`, or the same with `http`. */
  streamUrl: string;
  ticket: string;
  sampleRate: number;
  sampleFormat?: SampleFormat;
  /** Sound that is sent at once, 10 to 100; 20 without it. */
  frameMs?: number;
  /** Sound that may wait for the line before more of it is left out, in milliseconds; 1,000 without it. */
  mostWaitingMs?: number;
  /** What opens the stream where there is no global `WebSocket` (Node before 22): that of the package `ws` is one. */
  WebSocket?: new (url: string, protocols: string[]) => WebSocket;
}

/** How a conversion ended. */
export interface End {
  /** The record at the end; null where the server could not tell it any more. */
  record: LiveRecord | null;
  /** The close code. */
  code: number;
  /** The same as a sentence. */
  reason: string;
}

export interface SessionEvents {
  /** The voice is loaded; sound may be sent from now on. */
  ready: Ready;
  /** Sound in the other voice. */
  sound: SoundFrame;
  applied: { id: number; atFrame: number };
  refused: { id: number; errors: Mistake[] };
  stats: Stats;
  /** Time that was dropped because somebody was behind. */
  discontinuity: { ms: number; why: string };
  warning: Warning;
  ended: End;
}

/** The stream was closed before it was ready. */
export class Closed extends Error {
  override name = "Closed";
  constructor(readonly end: End) {
    super(end.reason);
  }
}

/** The server does not take a change of parameters. Everything is as before. */
export class Refused extends Error {
  override name = "Refused";
  constructor(readonly errors: Mistake[]) {
    super(errors.map(({ field, message }) => `${field}: ${message}`).join("; "));
  }
}

interface Waiting {
  change: Params;
  promise: Promise<number>;
  resolve: (atFrame: number) => void;
  reject: (error: Error) => void;
}

export class LiveSession extends Emitter<SessionEvents> {
  readonly sampleRate: number;
  readonly sampleFormat: SampleFormat;
  /** When the voice is loaded. Fails with `Closed`. */
  readonly ready: Promise<Ready>;
  /** When it is over, however that came. Never fails. */
  readonly ended: Promise<End>;
  /** Sound that was left out because the line was too slow, in milliseconds. */
  unsentMs = 0;

  private now: "opening" | "running" | "stopping" | "ended" = "opening";
  private readonly socket: WebSocket;
  private readonly cutter: Cutter;
  private readonly mostWaiting: number;
  private seq = 0;
  private record: LiveRecord | null = null;
  private gathered: Waiting | null = null;
  private gathering: ReturnType<typeof setTimeout> | undefined;
  private lastParams = -Infinity;
  private nextId = 1;
  private readonly asked = new Map<number, Waiting>();
  private pinging: ReturnType<typeof setInterval> | undefined;
  private ending: ReturnType<typeof setTimeout> | undefined;
  private readonly through = new Median();
  private readonly trips = new Median(9);
  private isReady!: (ready: Ready) => void;
  private isEnded!: (end: End) => void;
  private neverReady!: (closed: Closed) => void;

  constructor(options: SessionOptions) {
    super();
    const { sampleRate, sampleFormat = "s16le", frameMs = USUAL_MS } = options;
    this.sampleRate = sampleRate;
    this.sampleFormat = sampleFormat;
    const length = Math.round((sampleRate * Math.max(SHORTEST_MS, Math.min(LONGEST_MS, frameMs))) / 1000);
    this.cutter = new Cutter(Math.min(length, (MOST_BYTES - 8) / 4));
    this.mostWaiting = ((options.mostWaitingMs ?? 1_000) / 1000) * sampleRate * (sampleFormat === "s16le" ? 2 : 4);
    this.ready = new Promise((resolve, reject) => {
      this.isReady = resolve;
      this.neverReady = reject;
    });
    this.ready.catch(() => {});
    this.ended = new Promise((resolve) => (this.isEnded = resolve));
    const Socket = options.WebSocket ?? globalThis.WebSocket;
    if (Socket === undefined) throw new Error("there is no WebSocket here: give one as `WebSocket`, such as that of the package ws");
    this.socket = new Socket(options.streamUrl.replace(/^http/, "ws"), [SUBPROTOCOL, `ticket.${options.ticket}`]);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => this.take(data);
    this.socket.onclose = ({ code }) => this.over(code);
    // `close` follows and says all that is to be known, but in Node before 22 not where a stream was refused.
    this.socket.onerror = () => void setTimeout(() => this.over(1006), CLOSING_MS);
  }

  get state(): "opening" | "running" | "stopping" | "ended" {
    return this.now;
  }

  /** From the sending of sound to the coming of the same sound in the other voice, in milliseconds; null before there was some. */
  get throughMs(): number | null {
    return this.through.value;
  }

  /** There and back without sound, in milliseconds; null before it was measured. */
  get roundTripMs(): number | null {
    return this.trips.value;
  }

  /**
   * Sends sound, mono, from -1 to 1, in pieces of any length: wait for `ready` before. It has to come as fast as it sounds. Returns
   * whether it is sent: false when it has ended, or when the line is so slow that it was left out.
   */
  send(samples: Float32Array): boolean {
    if (this.now === "opening") throw new Error("the voice is not loaded yet: wait for `ready`");
    if (this.now !== "running") return false;
    if (this.socket.bufferedAmount > this.mostWaiting) {
      this.unsentMs += (samples.length / this.sampleRate) * 1000;
      return false;
    }
    this.cutter.add(samples, (piece) => this.sendPiece(piece));
    return true;
  }

  /**
   * Changes parameters; what is not named stays. Changes of 50 ms go as one, the last word counts. Resolves with the sample from which
   * it is heard, fails with `Refused`, or with `Closed` when it is over before.
   */
  params(change: Params): Promise<number> {
    if (this.now === "stopping" || this.now === "ended") return Promise.reject(new Error("it has ended"));
    if (this.gathered === null) {
      let resolve!: Waiting["resolve"];
      let reject!: Waiting["reject"];
      const promise = new Promise<number>((yes, no) => {
        resolve = yes;
        reject = no;
      });
      // Whoever does not ask what came of it is not told of a failure either.
      promise.catch(() => {});
      this.gathered = { change: {}, promise, resolve, reject };
    }
    this.gathered.change = { ...this.gathered.change, ...change };
    const { promise } = this.gathered;
    this.flushSoon();
    return promise;
  }

  /** Has what is still inside converted and sent, and ends. */
  stop(): Promise<End> {
    if (this.now === "opening") this.socket.close(1000);
    if (this.now === "running") {
      const rest = this.cutter.rest(Math.ceil((this.sampleRate * SHORTEST_MS) / 1000));
      if (rest !== undefined) this.sendPiece(rest);
      this.say({ type: "stop" });
      this.now = "stopping";
      this.ending = setTimeout(() => this.socket.close(1000), ENDING_MS);
    }
    return this.ended;
  }

  /** Ends at once. */
  close(): void {
    if (this.now !== "ended") this.socket.close(1000);
  }

  private sendPiece(piece: Float32Array): void {
    this.socket.send(encodeFrame(this.seq, performance.now(), piece, this.sampleFormat));
    this.seq += 1;
  }

  private say(message: ToServer): void {
    if (this.socket.readyState === 1) this.socket.send(JSON.stringify(message));
  }

  private flushSoon(): void {
    if (this.now !== "running" || this.gathered === null || this.gathering !== undefined) return;
    this.gathering = setTimeout(() => this.flush(), Math.max(0, this.lastParams + GATHER_MS - performance.now()));
  }

  private flush(): void {
    this.gathering = undefined;
    const waiting = this.gathered;
    if (waiting === null || this.now !== "running") return;
    this.gathered = null;
    this.lastParams = performance.now();
    const id = this.nextId;
    this.nextId += 1;
    this.asked.set(id, waiting);
    this.say({ type: "params", id, ...waiting.change });
  }

  private take(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      const frame = decodeFrame(data, this.sampleFormat);
      // Before all of the first message was heard there is no clock.
      if (frame.clock !== 0) this.through.add(elapsed(frame.clock, performance.now()));
      this.tell("sound", frame);
      return;
    }
    const message = parse(data);
    if (message !== undefined) this.hear(message);
  }

  private hear(message: FromServer): void {
    switch (message.type) {
      case "ready":
        this.now = "running";
        this.pinging = setInterval(() => this.say({ type: "ping", t: Math.round(performance.now()) }), PING_MS);
        this.isReady(message);
        this.tell("ready", message);
        this.flushSoon();
        break;
      case "applied":
        this.asked.get(message.id)?.resolve(message.atFrame);
        this.asked.delete(message.id);
        this.tell("applied", message);
        break;
      case "refused":
        this.asked.get(message.id)?.reject(new Refused(message.errors));
        this.asked.delete(message.id);
        this.tell("refused", message);
        break;
      case "pong":
        this.trips.add(performance.now() - message.t);
        break;
      case "ended":
        this.record = message.record;
        break;
      case "stats":
        this.tell("stats", message);
        break;
      case "discontinuity":
        this.tell("discontinuity", message);
        break;
      case "warning":
        this.tell("warning", message);
    }
  }

  private over(code: number): void {
    if (this.now === "ended") return;
    this.now = "ended";
    clearInterval(this.pinging);
    clearTimeout(this.gathering);
    clearTimeout(this.ending);
    const end = { record: this.record, code, reason: closedBecause(code) };
    for (const waiting of [...this.asked.values(), ...(this.gathered === null ? [] : [this.gathered])]) waiting.reject(new Closed(end));
    this.neverReady(new Closed(end));
    this.isEnded(end);
    this.tell("ended", end);
  }
}
