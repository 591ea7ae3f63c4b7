import { language, t } from "../../lib/strings";

interface Line {
  label: string;
  values: number[];
}

interface Props {
  title: string;
  /** At most two, told apart by their stroke. */
  lines: Line[];
  /** How long the readings reach back, in seconds. */
  seconds: number;
  /** A value in words. */
  say?: (value: number) => string;
}

const WIDTH = 300;
const HEIGHT = 72;
/** Room for half of a line's width. */
const EDGE = 2;

const plain = (value: number) => value.toLocaleString(language.value, { maximumFractionDigits: value < 10 ? 1 : 0 });

/** How long ago in words. */
function ago(seconds: number): string {
  return seconds < 90 ? t("operators.chart.seconds", { n: Math.round(seconds) }) : t("operators.chart.minutes", { n: Math.round(seconds / 60) });
}

/** A figure over time, small. What it shows stands beside it in words; the rest is said to who cannot see it. */
export function Chart({ title, lines, seconds, say = plain }: Props) {
  const top = Math.max(1, ...lines.flatMap((line) => line.values));
  const path = (values: number[]) => {
    const step = (WIDTH - 2 * EDGE) / Math.max(1, values.length - 1);
    const points = values.map((value, at) => `${(EDGE + at * step).toFixed(1)} ${(HEIGHT - EDGE - (value / top) * (HEIGHT - 2 * EDGE)).toFixed(1)}`);
    return points.length < 2 ? "" : `M${points.join("L")}`;
  };
  const last = (line: Line) => line.values.at(-1) ?? 0;
  const spoken = lines.map((line) =>
    t("operators.chart.says", {
      label: line.label,
      now: say(last(line)),
      least: say(line.values.length === 0 ? 0 : Math.min(...line.values)),
      most: say(line.values.length === 0 ? 0 : Math.max(...line.values)),
      ago: ago(seconds),
    }),
  );
  return (
    <figure class="ops-chart">
      <figcaption>
        <h3>{title}</h3>
        <ul class="ops-legend">
          {lines.map((line, at) => (
            <li key={line.label}>
              <span class={`ops-key line-${at}`} aria-hidden="true" />
              {line.label} <strong class="number">{say(last(line))}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${title}. ${spoken.join(" ")}`}>
        <path class="ops-floor" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} vector-effect="non-scaling-stroke" />
        {lines.map((line, at) => (
          <path key={line.label} class={`line-${at}`} d={path(line.values)} vector-effect="non-scaling-stroke" />
        ))}
      </svg>
      <p class="ops-axis" aria-hidden="true">
        <span>{seconds > 0 ? t("operators.chart.ago", { ago: ago(seconds) }) : t("operators.chart.begins")}</span>
        <span class="number">{t("operators.chart.top", { top: say(top) })}</span>
      </p>
    </figure>
  );
}
