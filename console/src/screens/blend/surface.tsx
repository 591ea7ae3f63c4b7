import { useRef } from "preact/hooks";
import { CORNERS, placeOf, sharesAt } from "../../lib/shares";
import { t } from "../../lib/strings";

interface Props {
  names: string[];
  shares: number[];
  onChange: (shares: number[]) => void;
}

/** How far an arrow key moves. */
const STEP = 0.05;
const [SIZE, PAD] = [240, 20];

/** The shares as a place between the voices: on a line, in a triangle or in a square. Dragged, or moved with the arrow keys. */
export function Surface({ names, shares, onChange }: Props) {
  const area = useRef<HTMLDivElement>(null);
  const corners = CORNERS[shares.length];
  const height = shares.length === 2 ? 72 : SIZE;
  const at = placeOf(shares);
  const place = (x: number, y: number): [number, number] => [PAD + x * (SIZE - 2 * PAD), PAD + y * (height - 2 * PAD)];
  const [dotX, dotY] = place(at.x, at.y);
  const said = names.map((name, i) => `${name} ${Math.round(shares[i] * 100)} %`).join(", ");

  const drag = (event: PointerEvent) => {
    const box = area.current?.getBoundingClientRect();
    if (box === undefined || (event.type === "pointermove" && event.buttons === 0)) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    const x = (((event.clientX - box.left) / box.width) * SIZE - PAD) / (SIZE - 2 * PAD);
    const y = (((event.clientY - box.top) / box.height) * height - PAD) / (height - 2 * PAD);
    onChange(sharesAt({ x, y }, shares.length));
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onChange(sharesAt({ x: at.x + by[0], y: at.y + by[1] }, shares.length));
  };
  const outline = (shares.length === 4 ? [0, 1, 3, 2] : corners.map((_, i) => i)).map((i) => place(corners[i].x, corners[i].y).join(",")).join(" ");
  return (
    <div
      ref={area}
      class="blend-surface"
      role="slider"
      tabIndex={0}
      aria-label={t("blend.surface")}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(shares[0] * 100)}
      aria-valuetext={said}
      onPointerDown={drag}
      onPointerMove={drag}
      onKeyDown={press}
    >
      <svg viewBox={`0 0 ${SIZE} ${height}`} aria-hidden="true">
        <polygon points={outline} class="blend-ground" />
        {corners.map((corner, i) => {
          const [x, y] = place(corner.x, corner.y);
          return (
            <g key={names[i] + i}>
              <line x1={x} y1={y} x2={dotX} y2={dotY} class="blend-pull" stroke-width={1 + shares[i] * 6} />
              <circle cx={x} cy={y} r={10} class="blend-corner" />
              <text x={x} y={y + 4} class="blend-number">
                {i + 1}
              </text>
            </g>
          );
        })}
        <circle cx={dotX} cy={dotY} r={9} class="blend-dot" />
      </svg>
    </div>
  );
}
