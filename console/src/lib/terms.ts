// The voices whose terms were accepted in this browser.
const ACCEPTED = "vocalhost.terms";

function accepted(): number[] {
  try {
    return JSON.parse(localStorage.getItem(ACCEPTED) ?? "[]") as number[];
  } catch {
    return [];
  }
}

export function isAccepted(voice: number): boolean {
  return accepted().includes(voice);
}

export function accept(voice: number): void {
  localStorage.setItem(ACCEPTED, JSON.stringify([...new Set([...accepted(), voice])]));
}
