import type { ComponentChildren } from "preact";
import { duration } from "../../lib/format";
import { t } from "../../lib/strings";
import { Button } from "../../ui/Button";
import { Toggle } from "../../ui/Field";
import { Icon } from "../../ui/Icon";
import { Meter } from "../../ui/Meter";
import { beginRecording, endRecording, input, isMuted, mute, numbers, output, phase, recording, warning } from "./run";

/** A number of milliseconds as text. */
const ms = (value: number | null | undefined) => (value === null || value === undefined ? "–" : t("live.ms", { n: Math.round(value) }));

// Each by itself: what changes ten times a second draws nothing else anew.
const InputMeter = () => <Meter label={t("live.input")} {...input.value} />;
const OutputMeter = () => <Meter label={t("live.output")} {...output.value} />;

/** What there is to see and to do while it runs. */
export function Desk() {
  const now = numbers.value;
  const runs = phase.value === "live";
  return (
    <div class="stack live-desk">
      <div class="stack tight">
        <h3>{t("live.input")}</h3>
        <InputMeter />
        {warning.value !== null && (
          <p class="note warning" role="alert">
            <Icon name="warning" />
            <span>{t(`live.warnings.${warning.value}`)}</span>
          </p>
        )}
        <Toggle label={t("live.mute")} value={isMuted.value} onChange={mute} />
      </div>
      <div class="stack tight">
        <h3>{t("live.output")}</h3>
        <OutputMeter />
        {recording.value === null ? (
          <Button size="s" icon="record" disabled={!runs} onClick={beginRecording}>
            {t("live.record")}
          </Button>
        ) : (
          <Button size="s" kind="danger" icon="stop" onClick={endRecording}>
            {t("live.recordStop", { time: duration(recording.value) })}
          </Button>
        )}
      </div>
      {now !== null && (
        <>
          <Facts title={t("live.delay")}>
            <Fact name={t("live.design")} value={ms(now.told.total)} help={t("live.designParts", { ...now.told })} />
            <Fact
              name={t("live.measured")}
              value={ms(now.measured.total)}
              help={
                now.measured.total === null
                  ? t("live.unmeasured")
                  : t("live.measuredParts", {
                      through: Math.round(now.measured.through ?? 0),
                      playout: Math.round(now.measured.playout ?? 0),
                      hardware: Math.round(now.measured.hardware),
                    })
              }
            />
            <Fact name={t("live.computing")} value={ms(now.stats?.blockMs.median)} />
          </Facts>
          <Facts title={t("live.glitches")}>
            <Fact name={t("live.lateBlocks")} value={String(now.stats?.lateBlocks ?? 0)} />
            <Fact name={t("live.droppedMs")} value={ms(now.stats?.droppedMs ?? 0)} />
            <Fact name={t("live.starvedMs")} value={ms(now.stats?.starvedMs ?? 0)} />
            <Fact name={t("live.underruns")} value={String(now.glitches.underruns)} help={now.glitches.underruns === 0 ? undefined : ms(now.glitches.gapMs)} />
            <Fact name={t("live.bridgedMs")} value={ms(now.glitches.bridgedMs)} />
            <Fact name={t("live.skippedMs")} value={ms(now.glitches.skippedMs)} />
            <Fact name={t("live.unsentMs")} value={ms(now.glitches.unsentMs)} />
          </Facts>
        </>
      )}
    </div>
  );
}

export function Facts({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="stack tight">
      <h3>{title}</h3>
      <dl class="live-facts">{children}</dl>
    </section>
  );
}

export function Fact({ name, value, help }: { name: string; value: string; help?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="number">{value}</dd>
      {help !== undefined && <dd class="muted small live-fact-help">{help}</dd>}
    </div>
  );
}
