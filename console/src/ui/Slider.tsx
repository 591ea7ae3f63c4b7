import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { Field } from "./Field";

interface Props {
  label: ComponentChildren;
  /** The label in plain words, for what reads the page aloud, where `label` is more than text. */
  name?: string;
  value: number;
  min: number;
  max: number;
  /** 0 means any value. */
  step?: number;
  unit?: string;
  help?: ComponentChildren;
  error?: string;
  onInput: (value: number) => void;
  /** Equal ways of the handle are equal ratios; both ends have to be above 0. */
  logarithmic?: boolean;
  /** What a double click goes back to. */
  initial?: number;
  disabled?: boolean;
}

const FINE = 1000;

/** A slider whose value can be typed as well. */
export function Slider(props: Props) {
  const { label, name, value, min, max, step = 0, unit = "", help, error, onInput, logarithmic = false, initial, disabled } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const curved = logarithmic && min > 0 && max > min;
  const toPlace = (x: number) => (curved ? (Math.log(x / min) / Math.log(max / min)) * FINE : x);
  const fromPlace = (x: number) => (curved ? min * (max / min) ** (x / FINE) : x);
  const snap = (x: number) => {
    const snapped = step > 0 ? min + Math.round((x - min) / step) * step : curved ? Number(x.toPrecision(3)) : x;
    return Math.min(max, Math.max(min, Number(snapped.toFixed(6))));
  };
  const share = (toPlace(Math.min(max, Math.max(min, value))) - (curved ? 0 : min)) / (curved ? FINE : max - min || 1);
  const text = String(Number(value.toFixed(Math.abs(value) >= 100 ? 1 : 3)));
  const plain = name ?? (typeof label === "string" ? label : undefined);

  const enter = (typed: string) => {
    setDraft(null);
    const number = Number(typed.replace(",", "."));
    if (typed.trim() !== "" && Number.isFinite(number)) onInput(snap(number));
  };

  return (
    <Field
      label={label}
      help={help}
      error={error}
      side={
        <span class="slider-value">
          <input
            class="number"
            inputMode="decimal"
            aria-label={plain === undefined ? undefined : `${plain}${unit === "" ? "" : ` (${unit})`}`}
            value={draft ?? text}
            disabled={disabled}
            onInput={(event) => setDraft(event.currentTarget.value)}
            onFocus={(event) => event.currentTarget.select()}
            onBlur={(event) => draft !== null && enter(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter") {
                event.preventDefault();
                enter(event.currentTarget.value);
              }
              if (event.key === "Escape") setDraft(null);
            }}
          />
          {unit !== "" && <span class="muted">{unit}</span>}
        </span>
      }
    >
      {(ids) => (
        <input
          {...ids}
          type="range"
          class="slider"
          style={{ "--share": String(share) }}
          min={curved ? 0 : min}
          max={curved ? FINE : max}
          step={curved ? 1 : step > 0 ? step : (max - min) / FINE}
          value={toPlace(value)}
          disabled={disabled}
          aria-valuetext={`${text}${unit === "" ? "" : ` ${unit}`}`}
          onInput={(event) => onInput(snap(fromPlace(Number(event.currentTarget.value))))}
          onDblClick={() => initial !== undefined && onInput(initial)}
        />
      )}
    </Field>
  );
}
