import { t } from "../lib/strings";

/** The lowest level that is shown, in dBFS. */
const FLOOR = -60;

const decibels = (x: number) => Math.max(FLOOR, 20 * Math.log10(Math.max(1e-9, x)));

interface Props {
  label: string;
  /** 0 to 1, as is the peak, which is held for a while by whoever knows it. */
  rms: number;
  peak: number;
  /** Whether it was too loud; undefined where nothing is said about that. */
  clipped?: boolean;
}

/** How loud something is. */
export function Meter({ label, rms, peak, clipped }: Props) {
  const now = decibels(rms);
  const share = (x: number) => String((x - FLOOR) / -FLOOR);
  return (
    <div class="meter-line">
      <div
        class="meter"
        role="meter"
        aria-label={label}
        aria-valuemin={FLOOR}
        aria-valuemax={0}
        aria-valuenow={Math.round(now)}
        aria-valuetext={`${Math.round(now)} dBFS`}
      >
        <span class="meter-rms" style={{ "--share": share(now) }} />
        <span class="meter-peak" style={{ "--share": share(decibels(peak)) }} />
      </div>
      <span class="number small meter-number">{peak < 0.001 ? "–∞" : Math.round(decibels(peak))} dB</span>
      {clipped !== undefined && <span class={`badge ${clipped ? "error" : ""}`}>{t(clipped ? "convert.record.clipped" : "convert.record.clean")}</span>}
    </div>
  );
}
