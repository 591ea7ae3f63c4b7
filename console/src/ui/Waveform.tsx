import { useEffect, useRef } from "preact/hooks";
import { duration as clock } from "../lib/format";
import { t } from "../lib/strings";
import type { Columns } from "../lib/sound";

export interface Region {
  from: number;
  to: number;
}

interface Props {
  peaks: Columns | null;
  /** In seconds. */
  duration: number;
  /** In seconds. */
  position: number;
  onSeek?: (seconds: number) => void;
  region?: Region | null;
  /** Given, a region can be drawn with Shift and the mouse. */
  onRegion?: (region: Region | null) => void;
  label: string;
  /** The colour of what was played; the accent without it. */
  colour?: string;
  height?: number;
}

/** A sound over time. Played from where it is pressed; moved in with the arrow keys. */
export function Waveform({ peaks, duration, position, onSeek, region, onRegion, label, colour, height = 72 }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const redraw = useRef(() => {});
  const drag = useRef<{ from: number; moved: boolean } | null>(null);

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const draw = () => {
      const scale = window.devicePixelRatio || 1;
      const width = Math.max(1, element.clientWidth);
      if (element.width !== Math.round(width * scale) || element.height !== Math.round(height * scale)) {
        element.width = Math.round(width * scale);
        element.height = Math.round(height * scale);
      }
      const context = element.getContext("2d");
      if (context === null) return;
      context.setTransform(scale, 0, 0, scale, 0, 0);
      context.clearRect(0, 0, width, height);
      const style = getComputedStyle(element);
      const plain = style.getPropertyValue("--wave").trim();
      const played = colour ?? style.getPropertyValue("--accent").trim();
      const middle = height / 2;
      if (region !== null && region !== undefined && duration > 0) {
        context.fillStyle = style.getPropertyValue("--accent-soft").trim();
        context.fillRect((region.from / duration) * width, 0, ((region.to - region.from) / duration) * width, height);
      }
      const at = duration > 0 ? (position / duration) * width : 0;
      if (peaks === null) {
        context.fillStyle = plain;
        context.fillRect(0, middle - 0.5, width, 1);
      } else {
        const bar = 2;
        const gap = 1;
        const bars = Math.floor(width / (bar + gap));
        for (let i = 0; i < bars; i += 1) {
          const from = Math.floor((i * peaks.max.length) / bars);
          const to = Math.max(from + 1, Math.floor(((i + 1) * peaks.max.length) / bars));
          let low = 0;
          let high = 0;
          for (let k = from; k < to && k < peaks.max.length; k += 1) {
            if (peaks.max[k] > high) high = peaks.max[k];
            if (peaks.min[k] < low) low = peaks.min[k];
          }
          const x = i * (bar + gap);
          const top = middle - Math.min(1, high) * (middle - 2);
          const bottom = middle - Math.max(-1, low) * (middle - 2);
          context.fillStyle = x < at ? played : plain;
          context.beginPath();
          context.roundRect(x, Math.min(top, middle - 0.75), bar, Math.max(1.5, bottom - top), 1);
          context.fill();
        }
      }
      if (duration > 0) {
        context.fillStyle = style.getPropertyValue("--text").trim();
        context.fillRect(Math.min(width - 1.5, Math.max(0, at - 0.75)), 0, 1.5, height);
      }
    };
    redraw.current = draw;
    draw();
  }, [peaks, duration, position, region?.from, region?.to, colour, height]);

  useEffect(() => {
    const again = () => redraw.current();
    const size = new ResizeObserver(again);
    if (canvas.current !== null) size.observe(canvas.current);
    const theme = new MutationObserver(again);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      size.disconnect();
      theme.disconnect();
    };
  }, []);

  const secondsAt = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(duration, Math.max(0, ((event.clientX - box.left) / box.width) * duration));
  };

  return (
    <canvas
      ref={canvas}
      class={`waveform${onSeek === undefined ? "" : " seekable"}`}
      style={{ height: `${height}px` }}
      role={onSeek === undefined ? "img" : "slider"}
      tabIndex={onSeek === undefined ? undefined : 0}
      aria-label={label}
      aria-valuemin={onSeek === undefined ? undefined : 0}
      aria-valuemax={onSeek === undefined ? undefined : Math.round(duration)}
      aria-valuenow={onSeek === undefined ? undefined : Math.round(position)}
      aria-valuetext={onSeek === undefined ? undefined : t("ui.wave.position", { at: clock(position), of: clock(duration) })}
      onPointerDown={(event) => {
        if (onSeek === undefined || duration <= 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        if (onRegion !== undefined && event.shiftKey) drag.current = { from: secondsAt(event), moved: false };
        else onSeek(secondsAt(event));
      }}
      onPointerMove={(event) => {
        if (event.buttons !== 1 || duration <= 0) return;
        const to = secondsAt(event);
        if (drag.current !== null && onRegion !== undefined) {
          drag.current.moved = true;
          const { from } = drag.current;
          onRegion({ from: Math.min(from, to), to: Math.max(from, to) });
        } else if (onSeek !== undefined && event.currentTarget.hasPointerCapture(event.pointerId)) onSeek(to);
      }}
      onPointerUp={() => {
        if (drag.current !== null && !drag.current.moved) onRegion?.(null);
        drag.current = null;
      }}
      onKeyDown={(event) => {
        if (onSeek === undefined) return;
        const step = { ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
        const to = event.key === "Home" ? 0 : event.key === "End" ? duration : step === undefined ? null : position + step;
        if (to === null) return;
        event.preventDefault();
        onSeek(Math.min(duration, Math.max(0, to)));
      }}
    />
  );
}
