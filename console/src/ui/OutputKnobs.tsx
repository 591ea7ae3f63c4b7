import type { ComponentChildren } from "preact";
import type { Problem } from "../lib/api";
import { BITRATES, type Format, type Output } from "../lib/output";
import { t } from "../lib/strings";
import { Select, Toggle } from "./Field";
import { Slider } from "./Slider";

interface Props {
  value: Output;
  onChange: (change: Partial<Output>) => void;
  problem: Problem | null;
}

/** What the files come as. */
export function OutputKnobs({ value: now, onChange: set, problem }: Props) {
  const wrong = (field: string) => problem?.field(field);
  const rates = BITRATES[now.outputFormat];
  return (
    <div class="knobs wide">
      <Select
        label={t("convert.knob.outputFormat")}
        help={t("convert.knob.outputFormatHelp")}
        error={wrong("outputFormat")}
        value={now.outputFormat}
        onChange={(value) => set({ outputFormat: value as Format, outputBitrate: null })}
        options={(["wav24", "wav16", "wav32f", "flac", "mp3", "opus"] as const).map((value) => ({
          value,
          label: t(`convert.format.${value}`),
        }))}
      />
      {rates !== undefined && (
        <Select
          label={t("convert.knob.outputBitrate")}
          error={wrong("outputBitrate")}
          value={String(now.outputBitrate ?? "")}
          onChange={(value) => set({ outputBitrate: value === "" ? null : Number(value) })}
          options={[
            { value: "", label: t("convert.knob.usual") },
            ...rates.map((rate) => ({ value: String(rate), label: `${rate} kbit/s` })),
          ]}
        />
      )}
      <Optional
        label={t("convert.knob.outputLoudness")}
        help={t("convert.knob.outputLoudnessHelp")}
        on={now.outputLoudness !== null}
        onToggle={(on) => set({ outputLoudness: on ? -14 : null })}
      >
        <Slider
          label={t("convert.knob.loudnessTarget")}
          error={wrong("outputLoudness")}
          unit="LUFS"
          min={-40}
          max={-5}
          step={0.5}
          initial={-14}
          value={now.outputLoudness ?? -14}
          onInput={(outputLoudness) => set({ outputLoudness })}
        />
      </Optional>
      <Select
        label={t("convert.knob.lossy")}
        help={t("convert.knob.lossyHelp")}
        error={wrong("lossy")}
        value={now.lossy}
        onChange={(value) => set({ lossy: value as typeof now.lossy })}
        options={(["", "with-job", "on-demand"] as const).map((value) => ({
          value,
          label: t(`convert.lossy.${value === "" ? "server" : value}`),
        }))}
      />
    </div>
  );
}

export function Optional({
  label,
  help,
  on,
  onToggle,
  children,
}: {
  label: string;
  help: string;
  on: boolean;
  onToggle: (on: boolean) => void;
  children: ComponentChildren;
}) {
  return (
    <div class="stack tight">
      <Toggle label={label} help={help} value={on} onChange={onToggle} />
      {on && children}
    </div>
  );
}
