// Listeners, and the middle of the last few numbers.

/** Tells listeners what happens. `Events` has a name for each kind, and what is told. */
export class Emitter<Events> {
  private readonly listeners = new Map<keyof Events, Set<(told: never) => void>>();

  /** Has `listener` called; gives what ends that. */
  on<Name extends keyof Events>(name: Name, listener: (told: Events[Name]) => void): () => void {
    const all = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, all);
    all.add(listener);
    return () => void all.delete(listener);
  }

  protected tell<Name extends keyof Events>(name: Name, told: Events[Name]): void {
    for (const listener of this.listeners.get(name) ?? []) (listener as (told: Events[Name]) => void)(told);
  }
}

/** The middle of the last `most` numbers. */
export class Median {
  private readonly last: number[] = [];

  constructor(private readonly most = 25) {}

  add(value: number): void {
    this.last.push(value);
    if (this.last.length > this.most) this.last.shift();
  }

  /** Null without numbers. */
  get value(): number | null {
    const sorted = [...this.last].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? null;
  }
}
