import { useEffect, useState } from "preact/hooks";
import { get } from "../lib/api";
import { t } from "../lib/strings";
import { isAccepted } from "../lib/terms";
import type { VoiceModel } from "../lib/types";
import { Button } from "../ui/Button";
import { Card, EmptyState } from "../ui/Card";
import { ChainEditor } from "../ui/ChainEditor";
import { CodeSame } from "../ui/CodeSame";
import { Select } from "../ui/Field";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Problem";
import { Slider } from "../ui/Slider";
import { stopDemo, TermsToAccept, VoiceCard, VoicePicker } from "../ui/VoiceCard";
import type { ScreenProps } from "./index";
import { Desk } from "./live/desk";
import { Earlier, Ended, Takes } from "./live/result";
import { begin, change, leave, microphones, phase, problem, stop } from "./live/run";
import { DEFAULTS, device, post, pre, request, sent, settings, voice, type Settings } from "./live/state";
import "./convert.css";
import "./live.css";

const WAYS = ["low", "balanced", "best"] as const;
const KEPT = ["none", "output", "both"] as const;
const UNLIMITED = { min: 0, max: 1, step: 0.01 };
const KNOBS = [
  { name: "pitchShift", unit: "st", min: -24, max: 24, step: 0.5 },
  { name: "conversionStrength", ...UNLIMITED },
  { name: "modelVolumeMix", ...UNLIMITED },
] as const;

export default function LiveScreen({ query }: ScreenProps) {
  const wanted = query.get("voice");
  useEffect(() => {
    if (wanted !== null) get<VoiceModel>(`/voice-models/${encodeURIComponent(wanted)}`).then((found) => (voice.value = found), (error) => (problem.value = error));
  }, [wanted]);
  // Nobody's microphone stays open on a screen that does not show it.
  useEffect(() => leave, []);
  const wrong = problem.value;
  return (
    <div class="screen live">
      <header class="screen-head">
        <h1>{t("live.title")}</h1>
        <p>{t("live.text")}</p>
      </header>
      {wrong?.status === 403 && (
        <Card>
          <EmptyState icon="live" title={t("live.noneTitle")} text={t("live.none")} />
        </Card>
      )}
      <div class="convert-grid">
        <div class="stack wide-gap">
          <Choice />
          <Card title={t("live.knobs")} text={t("live.knobsText")}>
            <div class="knobs wide">
              {KNOBS.map(({ name, ...range }) => (
                <Slider
                  key={name}
                  label={t(`convert.knob.${name}`)}
                  help={t(`convert.knob.${name}Help`)}
                  error={wrong?.field(name)}
                  {...range}
                  initial={DEFAULTS[name]}
                  value={settings.value[name]}
                  onInput={(value) => set({ [name]: value })}
                />
              ))}
            </div>
          </Card>
          <Card title={t("convert.effects.title")} text={t("live.effectsText")}>
            <div class="chains">
              <Chain chain={pre} name="pre" />
              <Chain chain={post} name="post" />
            </div>
          </Card>
        </div>
        <aside class="go" aria-label={t("live.title")}>
          <Controls />
        </aside>
      </div>
      <Ended />
      <Takes />
      <Earlier />
    </div>
  );
}

function set(knobs: Partial<Settings>): void {
  settings.value = { ...settings.value, ...knobs };
  change(knobs as Omit<Partial<Settings>, "latency" | "record">);
}

/** Voice, microphone and delay: what stays as it is while it runs. */
function Choice() {
  const runs = phase.value !== "idle";
  const wrong = problem.value;
  return (
    <Card title={t("convert.voice.title")} text={t("live.voiceText")}>
      <fieldset class="live-choice" disabled={runs}>
        <legend class="sr-only">{t("convert.voice.title")}</legend>
        <VoicePicker value={voice.value?.id ?? null} onChange={(chosen) => (voice.value = chosen)} />
        {wrong?.field("voiceModelId") !== undefined && <p class="field-error">{wrong.field("voiceModelId")}</p>}
        <div class="knobs">
          <Select
            label={t("live.latency")}
            help={t("live.latencyHelp")}
            error={wrong?.field("latency")}
            value={settings.value.latency}
            onChange={(latency) => (settings.value = { ...settings.value, latency: latency as Settings["latency"] })}
            options={WAYS.map((value) => ({ value, label: t(`live.latencies.${value}`) }))}
          />
          <Select
            label={t("live.keep")}
            help={t("live.keepHelp")}
            error={wrong?.field("record")}
            value={settings.value.record}
            onChange={(record) => (settings.value = { ...settings.value, record: record as Settings["record"] })}
            options={KEPT.map((value) => ({ value, label: t(`live.kept.${value}`) }))}
          />
          {microphones.value.length > 1 && (
            <Select
              label={t("live.device")}
              value={device.value}
              onChange={(chosen) => (device.value = chosen)}
              options={[
                { value: "", label: t("live.deviceUsual") },
                ...microphones.value.map((one, n) => ({ value: one.deviceId, label: one.label || t("convert.record.numbered", { n: n + 1 }) })),
              ]}
            />
          )}
        </div>
      </fieldset>
    </Card>
  );
}

function Chain({ chain, name }: { chain: typeof pre; name: "pre" | "post" }) {
  const wrong = problem.value?.field(name);
  return (
    <section class="stack tight">
      <h3>{t(`convert.effects.${name}`)}</h3>
      <ChainEditor
        value={chain.value}
        label={t(`convert.effects.${name}`)}
        empty={t(`convert.effects.${name}Empty`)}
        onChange={(next) => {
          const before = JSON.stringify(sent(chain.value));
          chain.value = next;
          const now = sent(next);
          if (JSON.stringify(now) !== before) change({ [name]: now });
        }}
      />
      {wrong !== undefined && <p class="field-error">{wrong}</p>}
    </section>
  );
}

/** Start, stop, and what there is to see meanwhile. */
function Controls() {
  const [terms, setTerms] = useState<VoiceModel | null>(null);
  const chosen = voice.value;
  const now = phase.value;
  const start = () => {
    if (chosen === null) return;
    stopDemo();
    if (isAccepted(chosen.id)) void begin();
    else setTerms(chosen);
  };
  return (
    <div class="go-card">
      {chosen === null ? <p class="muted">{t("live.missing")}</p> : <VoiceCard voice={chosen} />}
      {now === "idle" ? (
        <Button kind="primary" size="l" icon="live" disabled={chosen === null} onClick={start}>
          {t("live.start")}
        </Button>
      ) : (
        <Button kind="danger" size="l" icon="stop" busy={now === "stopping"} onClick={stop}>
          {t("live.stop")}
        </Button>
      )}
      <p role="status">
        <span class={`badge ${now === "live" ? "success" : now === "idle" ? "" : "running"}`}>{t(`live.phase.${now}`)}</span>
      </p>
      {now === "idle" ? (
        <p class="note">
          <Icon name="solo" />
          <span>{t("live.headphones")}</span>
        </p>
      ) : (
        <Desk />
      )}
      {problem.value?.status !== 403 && <Problem problem={problem.value} />}
      <CodeSame method="POST" path="/live-conversions" fields={{ ...request() }} />
      {terms !== null && (
        <TermsToAccept
          voice={terms}
          onClose={() => setTerms(null)}
          onAccept={() => {
            setTerms(null);
            void begin();
          }}
        />
      )}
    </div>
  );
}
