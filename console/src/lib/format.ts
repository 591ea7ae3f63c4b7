import { language } from "./strings";

function number(value: number, digits: number): string {
  return value.toLocaleString(language.value, { maximumFractionDigits: digits, minimumFractionDigits: digits });
}

/** Seconds as `m:ss`, or `h:mm:ss`. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–:––";
  const whole = Math.max(0, Math.floor(seconds));
  const s = String(whole % 60).padStart(2, "0");
  const m = Math.floor(whole / 60) % 60;
  const h = Math.floor(whole / 3600);
  return h > 0 ? `${h}:${String(m).padStart(2, "0")}:${s}` : `${m}:${s}`;
}

export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  let value = n;
  while (value >= 1000 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  return `${number(value, at === 0 || value >= 100 ? 0 : 1)} ${units[at]}`;
}

/** Loudness in LUFS; null is silence. */
export function lufs(x: number | null | undefined): string {
  return x === null || x === undefined ? "– LUFS" : `${number(x, 1)} LUFS`;
}

export function db(x: number | null | undefined): string {
  return x === null || x === undefined ? "– dB" : `${x > 0 ? "+" : ""}${number(x, 1)} dB`;
}

/** A time of the API (`2026-11-20 13:00:21.000450 +00:00`) as a date. */
export function parseDate(date: string): Date {
  return new Date(date.replace(/^(\S+) (\S+?)(?:\.(\d{3})\d*)? ?([+-]\d\d:\d\d)$/, (_, day, time, ms, zone) => `${day}T${time}.${ms ?? "000"}${zone}`));
}

/** A time as people say it: the hour for today, otherwise the day with it. */
export function when(date: string | Date | null | undefined): string {
  if (date === null || date === undefined) return "–";
  const at = typeof date === "string" ? parseDate(date) : date;
  if (Number.isNaN(at.getTime())) return String(date);
  const today = at.toDateString() === new Date().toDateString();
  return at.toLocaleString(language.value, today ? { hour: "2-digit", minute: "2-digit" } : { dateStyle: "medium", timeStyle: "short" });
}

/** A share from 0 to 1 as per cent. */
export function percent(share: number, digits = 0): string {
  return `${number(share * 100, digits)} %`;
}
