import { t } from "../../lib/strings";
import type { VoiceTraining } from "../../lib/types";

const WIDTH = 640;
const HEIGHT = 180;
const EDGE = 34;

type Point = VoiceTraining["curve"][number];

/** How the loss falls, step by step: what is learned from, and what is held out. */
export function Curve({ points, steps }: { points: Point[]; steps: number }) {
  const losses = points.flatMap(({ loss, heldOutLoss }) => (heldOutLoss === null ? [loss] : [loss, heldOutLoss]));
  const highest = Math.max(...losses);
  const lowest = Math.min(0, ...losses);
  const x = (step: number) => EDGE + (step / steps) * (WIDTH - EDGE - 8);
  const y = (loss: number) => 8 + ((highest - loss) / (highest - lowest || 1)) * (HEIGHT - 32);
  const line = (values: [number, number][]) => values.map(([step, loss]) => `${x(step).toFixed(1)},${y(loss).toFixed(1)}`).join(" ");
  const learned = points.map(({ step, loss }): [number, number] => [step, loss]);
  const held = points.flatMap(({ step, heldOutLoss }): [number, number][] => (heldOutLoss === null ? [] : [[step, heldOutLoss]]));
  const last = points[points.length - 1];
  return (
    <figure class="train-curve">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t("train.curveText", { step: last.step, loss: last.loss.toFixed(3) })}>
        <path class="train-axes" d={`M${EDGE} 8V${HEIGHT - 24}H${WIDTH - 8}`} />
        <text class="train-number" x={EDGE - 6} y={y(highest) + 4} text-anchor="end">
          {highest.toFixed(1)}
        </text>
        <text class="train-number" x={EDGE - 6} y={HEIGHT - 20} text-anchor="end">
          {lowest.toFixed(1)}
        </text>
        <text class="train-number" x={WIDTH - 8} y={HEIGHT - 8} text-anchor="end">
          {t("train.steps", { n: steps })}
        </text>
        <polyline class="train-learned" points={line(learned)} />
        <polyline class="train-held" points={line(held)} />
        {held.map(([step, loss]) => (
          <circle key={step} class="train-dot" cx={x(step)} cy={y(loss)} r={3} />
        ))}
      </svg>
      <figcaption class="muted small">{t("train.curve")}</figcaption>
    </figure>
  );
}
