// Chains of effects: what is installed, and a chain as it is sent.
import { signal } from "@preact/signals";
import { all } from "./api";
import type { ChainEntry, Effect, ListedEffect, ParameterValue, Pipeline } from "./types";

/** The effects that are installed; null until they were read. */
export const effects = signal<Effect[] | null>(null);
let asked: Promise<Effect[]> | undefined;

/** Reads the effects once. */
export function loadEffects(): Promise<Effect[]> {
  asked ??= all<Effect>("/effects").then(
    (list) => (effects.value = list),
    (error) => {
      asked = undefined;
      throw error;
    },
  );
  return asked;
}

/** How an effect is named in a chain. */
export function nameOf(effect: Effect): string {
  return effect.alias ?? effect.id;
}

/** The effect that an entry names, by its short name or its id, whatever version it asks for. */
export function effectOf(entry: ChainEntry, list: readonly Effect[]): Effect | undefined {
  const name = entry.effect.split("@")[0];
  return list.find((effect) => effect.alias === name || effect.id === name);
}

export function entryOf(effect: Effect): ChainEntry {
  return { effect: nameOf(effect), params: Object.fromEntries(effect.parameters.map((one) => [one.id, one.default])) };
}

/** What is sent for a chain: only what is on, and only what differs from the defaults. */
export function toSend(chain: readonly ChainEntry[], list: readonly Effect[] = effects.value ?? []): ListedEffect[] {
  return chain
    .filter((entry) => entry.bypass !== true)
    .map((entry) => {
      const known = effectOf(entry, list);
      const params = Object.fromEntries(
        Object.entries(entry.params).filter(([id, value]) => known?.parameters.find((one) => one.id === id)?.default !== value),
      );
      return Object.keys(params).length === 0 ? { effect: entry.effect } : { effect: entry.effect, params };
    });
}

/** The fields of a request for its chains, those that have something in them. */
export function chainFields(chains: Record<string, readonly ChainEntry[]>): { name: string; value: string }[] {
  return Object.entries(chains)
    .map(([name, chain]) => ({ name, sent: toSend(chain) }))
    .filter(({ sent }) => sent.length > 0)
    .map(({ name, sent }) => ({ name, value: JSON.stringify(sent) }));
}

/** A chain as the page holds it, of one that came from the server. */
export function fromServer(chain: Pipeline["chain"], list: readonly Effect[] = effects.value ?? []): ChainEntry[] {
  return chain.map((one) => {
    const entry: ChainEntry = typeof one === "string" ? { effect: one, params: {} } : { effect: one.effect, params: {} };
    const known = effectOf(entry, list);
    const given = typeof one === "string" || typeof one.params !== "object" || one.params === null ? {} : (one.params as Record<string, ParameterValue>);
    const defaults = known === undefined ? {} : entryOf(known).params;
    return { ...entry, params: { ...defaults, ...given }, bypass: typeof one !== "string" && one.params === false };
  });
}
