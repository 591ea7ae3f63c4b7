// Icons of our own, drawn on a grid of 24 with lines of one width.

const SHAPES = {
  convert: ["M4 8h11l-3-3", "M20 16H9l3 3"],
  separate: ["M12 4v16", "M8 7v10", "M4 10v4", "M16 9.5v5", "M20 7v10"],
  split: ["M4 12h5", "M9 12c3 0 3-6 6-6h5", "M9 12h11", "M9 12c3 0 3 6 6 6h5"],
  blend: ["M9 12m-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0", "M15 12m-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0"],
  train: ["M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3Z", "M5.5 11a6.5 6.5 0 0 0 9 6", "M18.5 14v6", "M15.5 17h6"],
  voices: ["M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3Z", "M5.5 11a6.5 6.5 0 0 0 13 0", "M12 17.5V21"],
  microphone: ["M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3Z", "M5.5 11a6.5 6.5 0 0 0 13 0", "M12 17.5V21"],
  live: ["M12 12m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0", "M8 8.5a5 5 0 0 0 0 7", "M16 8.5a5 5 0 0 1 0 7", "M5 5.5a9.2 9.2 0 0 0 0 13", "M19 5.5a9.2 9.2 0 0 1 0 13"],
  jobs: ["M4 6h16", "M4 12h16", "M4 18h9", "m16 18 2 2 3-4"],
  developers: ["m8 7-5 5 5 5", "m16 7 5 5-5 5", "m13.5 5-3 14"],
  operators: ["M4 7h9", "M19 7h1", "M16 4.5v5", "M4 17h3", "M13 17h7", "M10 14.5v5", "M4 12h16"],
  upload: ["M12 16V5", "m7 9.5 5-5 5 5", "M5 19h14"],
  download: ["M12 4v11", "m7 10.5 5 5 5-5", "M5 19.5h14"],
  play: ["M8 5.5v13l10.5-6.5Z"],
  pause: ["M8.5 5.5v13", "M15.5 5.5v13"],
  stop: ["M7 7h10v10H7Z"],
  record: ["M12 12m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0"],
  search: ["M11 11m-6.5 0a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0", "m16 16 4.5 4.5"],
  plus: ["M12 5v14", "M5 12h14"],
  close: ["m6 6 12 12", "m18 6-12 12"],
  check: ["m5 12.5 4.5 4.5L19 7.5"],
  up: ["m6 14.5 6-6 6 6"],
  down: ["m6 9.5 6 6 6-6"],
  left: ["m14.5 6-6 6 6 6"],
  right: ["m9.5 6 6 6-6 6"],
  trash: ["M4.5 7h15", "M9.5 7V4.5h5V7", "m6.5 7 .8 12.5h9.4L17.5 7", "M10.5 11v5", "M13.5 11v5"],
  edit: ["m5 15.5 10-10 3.5 3.5-10 10-4.5 1Z"],
  copy: ["M9 9h10.5v10.5H9Z", "M15 9V4.5H4.5V15H9"],
  drag: ["M9 6h.01", "M15 6h.01", "M9 12h.01", "M15 12h.01", "M9 18h.01", "M15 18h.01"],
  power: ["M12 4v8", "M7 6.8a7.5 7.5 0 1 0 10 0"],
  warning: ["M12 4 2.8 19.5h18.4Z", "M12 10v4.5", "M12 17h.01"],
  info: ["M12 12m-8.5 0a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0", "M12 11v5", "M12 8h.01"],
  sun: ["M12 12m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "M12 3v1.5", "M12 19.5V21", "M3 12h1.5", "M19.5 12H21", "m5.6 5.6 1.1 1.1", "m17.3 17.3 1.1 1.1", "m5.6 18.4 1.1-1.1", "m17.3 6.7 1.1-1.1"],
  moon: ["M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z"],
  menu: ["M4 7h16", "M4 12h16", "M4 17h16"],
  out: ["M14 5h5v14h-5", "M4 12h10", "m10.5 8.5 3.5 3.5-3.5 3.5"],
  refresh: ["M19 8a8 8 0 1 0 1 6", "M19.5 4v4.5H15"],
  key: ["M8 15m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "m11 12 8.5-8.5", "m15.5 7.5 3 3"],
  webhook: ["M12 7m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0", "m10.5 9.7-4 6.8", "m13.5 9.7 3.2 5.5", "M6 17m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0", "M18 17m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0", "M8.5 17h7"],
  link: ["M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1", "M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1"],
  clock: ["M12 12m-8.5 0a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0", "M12 7.5V12l3 2"],
  file: ["M6 3.5h8l4 4v13H6Z", "M14 3.5v4h4"],
  wave: ["M3 12h2l2-5 3 11 3-14 3 12 2-4h3"],
  solo: ["M5 14v-2a7 7 0 0 1 14 0v2", "M5 14h3v6H6.5A1.5 1.5 0 0 1 5 18.5Z", "M19 14h-3v6h1.5a1.5 1.5 0 0 0 1.5-1.5Z"],
  mute: ["M4 9.5v5h3.5L12 18.5v-13L7.5 9.5Z", "m16 10 4 4", "m20 10-4 4"],
  volume: ["M4 9.5v5h3.5L12 18.5v-13L7.5 9.5Z", "M15.5 9a4 4 0 0 1 0 6", "M18 6.5a8 8 0 0 1 0 11"],
  loop: ["M5 11V9.5A2.5 2.5 0 0 1 7.5 7H19", "m16 4 3 3-3 3", "M19 13v1.5a2.5 2.5 0 0 1-2.5 2.5H5", "m8 20-3-3 3-3"],
  users: ["M9 8m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0", "M2.5 19.5a6.5 6.5 0 0 1 13 0", "M16 5a3.5 3.5 0 0 1 0 6.5", "M18 14a6.5 6.5 0 0 1 3.5 5.5"],
  settings: ["M4 8h10", "M18 8h2", "M16 6v4", "M4 16h2", "M10 16h10", "M8 14v4"],
  star: ["m12 4 2.4 5.2 5.6.7-4.2 3.9 1.1 5.7-4.9-2.8-4.9 2.8 1.1-5.7L4 9.9l5.6-.7Z"],
} as const;

export type IconName = keyof typeof SHAPES;

const FILLED: ReadonlySet<string> = new Set(["play", "stop", "record"]);

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={FILLED.has(name) ? "currentColor" : "none"}
      stroke="currentColor"
      stroke-width={name === "drag" ? 2.6 : 1.8}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {SHAPES[name].map((d) => (
        <path key={d} d={d} />
      ))}
    </svg>
  );
}

export function Logo() {
  return (
    <svg viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <rect class="logo-ground" width="32" height="32" rx="9" />
      <path
        class="logo-line"
        d="M6.5 14.5v3M11 11v10M15.5 6.5c0 12 1.5 19 4.5 19s1.5-8 5.5-9.5"
        stroke-width="2.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
