// Who has signed in. The key is sent once and kept nowhere: a cookie that scripts cannot read does the rest.
import { signal } from "@preact/signals";
import { forget } from "./kept";
import { answer, ask, onSignedOut, Problem } from "./api";
import type { Session } from "./types";

/** The session; null when there is none. */
export const session = signal<Session | null>(null);

onSignedOut(() => {
  session.value = null;
});

/** Whether the key that was signed in with has a scope. */
export function can(scope: string): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}

/** Looks whether there is a session already. */
export async function resume(): Promise<void> {
  try {
    session.value = (await answer(await ask("console/session", {}))) as Session;
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error;
  }
}

export async function signIn(key: string): Promise<void> {
  session.value = (await answer(
    await ask("console/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ key }) }),
  )) as Session;
}

export async function signOut(): Promise<void> {
  await answer(await ask("console/session", { method: "DELETE" }));
  await forget();
  session.value = null;
}
