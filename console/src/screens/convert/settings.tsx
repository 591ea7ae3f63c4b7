import type { Problem } from "../../lib/api";
import { t } from "../../lib/strings";
import { Button } from "../../ui/Button";
import { Select, TextInput, Toggle } from "../../ui/Field";
import { Slider } from "../../ui/Slider";
import { Optional } from "../../ui/OutputKnobs";
import { DEFAULTS, set, settings } from "./state";

type Wrong = (field: string) => string | undefined;
const wrongOf =
  (problem: Problem | null): Wrong =>
  (field) =>
    problem?.field(field);

/** The knobs that nearly every conversion needs. */
export function VoiceKnobs({ problem, suggested }: { problem: Problem | null; suggested: number | null }) {
  const now = settings.value;
  const wrong = wrongOf(problem);
  return (
    <div class="knobs wide">
      <div class="stack tight">
        <Slider
          label={t("convert.knob.pitchShift")}
          help={t("convert.knob.pitchShiftHelp")}
          error={wrong("pitchShift")}
          unit="st"
          min={-24}
          max={24}
          step={0.5}
          initial={0}
          value={now.pitchShift}
          onInput={(pitchShift) => set({ pitchShift })}
        />
        <div class="chips" role="group" aria-label={t("convert.knob.pitchSteps")}>
          {[-12, -7, 0, 7, 12].map((step) => (
            <button
              key={step}
              type="button"
              class="chip number"
              aria-pressed={now.pitchShift === step}
              onClick={() => set({ pitchShift: step })}
            >
              {step > 0 ? `+${step}` : step}
            </button>
          ))}
          {suggested !== null && suggested !== now.pitchShift && !now.autoPitch && (
            <button type="button" class="chip number" onClick={() => set({ pitchShift: suggested })}>
              {t("convert.knob.suggested", { n: suggested > 0 ? `+${suggested}` : String(suggested) })}
            </button>
          )}
        </div>
      </div>
      <Toggle
        label={t("convert.knob.autoPitch")}
        help={t("convert.knob.autoPitchHelp")}
        error={wrong("autoPitch")}
        value={now.autoPitch}
        onChange={(autoPitch) => set({ autoPitch })}
      />
      <Slider
        label={t("convert.knob.conversionStrength")}
        help={t("convert.knob.conversionStrengthHelp")}
        error={wrong("conversionStrength")}
        min={0}
        max={1}
        step={0.01}
        initial={0.5}
        value={now.conversionStrength}
        onInput={(conversionStrength) => set({ conversionStrength })}
      />
      <Slider
        label={t("convert.knob.modelVolumeMix")}
        help={t("convert.knob.modelVolumeMixHelp")}
        error={wrong("modelVolumeMix")}
        min={0}
        max={1}
        step={0.01}
        initial={0.5}
        value={now.modelVolumeMix}
        onInput={(modelVolumeMix) => set({ modelVolumeMix })}
      />
    </div>
  );
}

/** The fields that `ExpertKnobs` shows. */
export const EXPERT = ["f0Method", "silenceGate", "protect", "speakerId", "seed", "priority", "strictInput", "webhookUrl", "metadata"];

/** The rest of what the API takes. */
export function ExpertKnobs({ problem }: { problem: Problem | null }) {
  const now = settings.value;
  const wrong = wrongOf(problem);
  const usual = now.f0Method === "auto" || now.f0Method === "pyin";
  return (
    <div class="stack">
      <div class="knobs wide">
        <div class="stack tight">
          <Select
            label={t("convert.knob.f0Method")}
            help={t("convert.knob.f0MethodHelp")}
            error={usual ? wrong("f0Method") : undefined}
            value={usual ? now.f0Method : "other"}
            onChange={(value) => set({ f0Method: value === "other" ? "" : value })}
            options={(["auto", "pyin", "other"] as const).map((value) => ({ value, label: t(`convert.f0.${value}`) }))}
          />
          {!usual && (
            <TextInput
              label={t("convert.knob.f0Id")}
              error={wrong("f0Method")}
              value={now.f0Method}
              onInput={(f0Method) => set({ f0Method })}
              spellcheck={false}
            />
          )}
        </div>
        <Select
          label={t("convert.knob.silenceGate")}
          help={t("convert.knob.silenceGateHelp")}
          error={wrong("silenceGate")}
          value={String(now.silenceGate ?? "")}
          onChange={(value) => set({ silenceGate: value === "" ? null : value === "true" })}
          options={[
            { value: "", label: t("convert.knob.asVoice") },
            { value: "true", label: t("convert.knob.on") },
            { value: "false", label: t("convert.knob.off") },
          ]}
        />
        <Optional
          label={t("convert.knob.protect")}
          help={t("convert.knob.protectHelp")}
          on={now.protect !== null}
          onToggle={(on) => set({ protect: on ? 0.33 : null })}
        >
          <Slider
            label={t("convert.knob.protectShare")}
            error={wrong("protect")}
            min={0}
            max={0.5}
            step={0.01}
            initial={0.33}
            value={now.protect ?? 0.33}
            onInput={(protect) => set({ protect })}
          />
        </Optional>
        <TextInput
          label={t("convert.knob.speakerId")}
          help={t("convert.knob.speakerIdHelp")}
          error={wrong("speakerId")}
          type="number"
          min={0}
          step={1}
          placeholder={t("convert.knob.asVoice")}
          value={now.speakerId === null ? "" : String(now.speakerId)}
          onInput={(value) => set({ speakerId: value === "" ? null : Number(value) })}
        />
        <TextInput
          label={t("convert.knob.seed")}
          help={t("convert.knob.seedHelp")}
          error={wrong("seed")}
          type="number"
          min={0}
          step={1}
          value={String(now.seed)}
          onInput={(value) => set({ seed: value === "" ? DEFAULTS.seed : Number(value) })}
        />
        <Slider
          label={t("convert.knob.priority")}
          help={t("convert.knob.priorityHelp")}
          error={wrong("priority")}
          min={-10}
          max={10}
          step={1}
          initial={0}
          value={now.priority}
          onInput={(priority) => set({ priority })}
        />
        <Toggle
          label={t("convert.knob.strictInput")}
          help={t("convert.knob.strictInputHelp")}
          error={wrong("strictInput")}
          value={now.strictInput}
          onChange={(strictInput) => set({ strictInput })}
        />
        <TextInput
          label={t("convert.knob.webhookUrl")}
          help={t("convert.knob.webhookUrlHelp")}
          error={wrong("webhookUrl")}
          type="url"
          placeholder="https://"
          value={now.webhookUrl}
          onInput={(webhookUrl) => set({ webhookUrl })}
        />
      </div>
      <Notes error={wrong("metadata")} />
    </div>
  );
}

function Notes({ error }: { error?: string }) {
  const notes = settings.value.metadata;
  const change = (at: number, pair: Partial<(typeof notes)[number]>) =>
    set({ metadata: notes.map((one, i) => (i === at ? { ...one, ...pair } : one)) });
  return (
    <div class="stack tight" role="group" aria-label={t("convert.knob.metadata")}>
      <h3 class="small">{t("convert.knob.metadata")}</h3>
      <p class="field-help">{t("convert.knob.metadataHelp")}</p>
      {notes.map((pair, at) => (
        <div key={at} class="note-row">
          <TextInput label={t("convert.knob.noteName")} maxLength={64} value={pair.name} onInput={(name) => change(at, { name })} />
          <TextInput label={t("convert.knob.noteValue")} maxLength={512} value={pair.value} onInput={(value) => change(at, { value })} />
          <Button
            kind="quiet"
            icon="trash"
            aria-label={t("convert.knob.noteRemove", { n: at + 1 })}
            onClick={() => set({ metadata: notes.filter((_, i) => i !== at) })}
          />
        </div>
      ))}
      {error !== undefined && <p class="field-error">{error}</p>}
      <div>
        <Button size="s" icon="plus" disabled={notes.length >= 16} onClick={() => set({ metadata: [...notes, { name: "", value: "" }] })}>
          {t("convert.knob.noteAdd")}
        </Button>
      </div>
    </div>
  );
}

