// Several versions of one sound, played in step: all run at once, and one is heard.
import { signal } from "@preact/signals";
import { factor, wake, engine } from "./sound";

const FADE = 0.008;

export interface Version {
  name: string;
  buffer: AudioBuffer;
  /** Loudness in LUFS; null where it is not known, or silent. */
  loudness: number | null;
}

export class Comparison {
  readonly position = signal(0);
  readonly playing = signal(false);
  readonly heard = signal("");
  /** Whether all versions are turned down to the softest. */
  readonly matched = signal(true);
  private readonly list = signal<Version[]>([]);
  private running: { source: AudioBufferSourceNode; gain: GainNode; name: string }[] = [];
  private started = 0;
  private frame = 0;

  private get versions(): Version[] {
    return this.list.value;
  }

  get duration(): number {
    return Math.max(0, ...this.versions.map((version) => version.buffer.duration));
  }

  /** The gain in decibels by which a version is turned down to the loudness of the softest. */
  gainOf(name: string): number {
    const known = this.versions.map((version) => version.loudness).filter((loudness) => loudness !== null);
    const loudness = this.versions.find((version) => version.name === name)?.loudness ?? null;
    return !this.matched.value || loudness === null || known.length < 2 ? 0 : Math.min(...known) - loudness;
  }

  set(versions: Version[]): void {
    const at = this.position.value;
    const was = this.playing.value;
    this.halt();
    this.list.value = versions;
    if (!versions.some((version) => version.name === this.heard.value)) this.heard.value = versions.at(-1)?.name ?? "";
    this.position.value = Math.min(at, this.duration);
    if (was) void this.play();
  }

  async play(): Promise<void> {
    const context = await wake();
    this.halt();
    if (this.versions.length === 0) return;
    if (this.position.value >= this.duration - 0.02) this.position.value = 0;
    const begin = context.currentTime + 0.03;
    const offset = this.position.value;
    this.running = this.versions.map(({ name, buffer }) => {
      const source = context.createBufferSource();
      const gain = context.createGain();
      source.buffer = buffer;
      gain.gain.value = name === this.heard.value ? factor(this.gainOf(name)) : 0;
      source.connect(gain).connect(context.destination);
      if (offset < buffer.duration) source.start(begin, offset);
      return { source, gain, name };
    });
    this.started = begin - offset;
    this.playing.value = true;
    const tick = () => {
      const at = Math.max(offset, context.currentTime - this.started);
      if (at >= this.duration) {
        this.halt();
        this.position.value = 0;
        return;
      }
      this.position.value = at;
      this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  pause(): void {
    this.halt();
  }

  toggle(): void {
    if (this.playing.value) this.pause();
    else void this.play();
  }

  seek(seconds: number): void {
    this.position.value = seconds;
    if (this.playing.value) void this.play();
  }

  /** Hears another version, at the same place. */
  hear(name: string): void {
    this.heard.value = name;
    this.fade();
  }

  /** Hears the next version; the first one after the last. */
  next(): void {
    const at = this.versions.findIndex((version) => version.name === this.heard.value);
    if (this.versions.length > 0) this.hear(this.versions[(at + 1) % this.versions.length].name);
  }

  match(matched: boolean): void {
    this.matched.value = matched;
    this.fade();
  }

  private fade(): void {
    const now = this.running.length === 0 ? 0 : engine().currentTime;
    for (const { gain, name } of this.running) {
      gain.gain.cancelScheduledValues(now);
      gain.gain.setTargetAtTime(name === this.heard.value ? factor(this.gainOf(name)) : 0, now, FADE / 3);
    }
  }

  private halt(): void {
    cancelAnimationFrame(this.frame);
    for (const { source, gain } of this.running) {
      source.disconnect();
      gain.disconnect();
    }
    this.running = [];
    this.playing.value = false;
  }
}
