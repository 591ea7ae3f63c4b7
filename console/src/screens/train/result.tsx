import { useEffect, useState } from "preact/hooks";
import { get, here } from "../../lib/api";
import { follow } from "../../lib/follow";
import { duration as clock, when } from "../../lib/format";
import { go } from "../../lib/router";
import { t } from "../../lib/strings";
import type { VoiceModel, VoiceTraining } from "../../lib/types";
import { Card } from "../../ui/Card";
import { JobStatus, StatusBadge } from "../../ui/JobStatus";
import { Problem } from "../../ui/Problem";
import { loadVoices, VoiceCard } from "../../ui/VoiceCard";
import { Curve } from "./curve";

/** A training on its way: how far it is, what the voice sounds like so far, and the voice that came of it. */
export function Result({ id }: { id: string }) {
  const [record, setRecord] = useState<VoiceTraining | null>(null);
  const [voice, setVoice] = useState<VoiceModel | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => follow<VoiceTraining>("voice-trainings", id, setRecord, setProblem), [id]);
  const done = record?.status === "success" ? record.outputModelId : null;
  useEffect(() => {
    if (done === null) return;
    get<VoiceModel>(`/voice-models/${done}`).then(setVoice, setProblem);
    void loadVoices().catch(() => undefined);
  }, [done]);
  if (record === null) {
    return <Card title={t("train.job", { id })}>{problem === null ? <p class="muted">{t("ui.loading")}</p> : <Problem problem={problem} />}</Card>;
  }
  const { step, steps, etaSeconds, curve, tests } = record;
  return (
    <Card title={record.title} text={`${t("train.job", { id })} · ${when(record.createdAt)}`} actions={<StatusBadge status={record.status} />}>
      <JobStatus kind="voice-trainings" record={record} onChange={(now) => setRecord(now as VoiceTraining)} onRetry={(again) => go(`/train/${again.id}`)} />
      {step > 0 && (
        <p class="muted">
          {t("train.step", { step, steps })}
          {etaSeconds !== null && ` · ${t("train.left", { time: clock(etaSeconds) })}`}
        </p>
      )}
      {curve.length > 1 && <Curve points={curve} steps={steps} />}
      {tests.length > 0 && (
        <section class="stack tight">
          <h3>{t("train.tests")}</h3>
          <ul class="train-tests">
            {tests.map((test) => (
              <li key={test.step} class="row">
                <span class="number">{t("train.after", { n: test.step })}</span>
                <audio controls preload="none" src={here(test.url)} aria-label={t("train.after", { n: test.step })} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {voice !== null && (
        <>
          <VoiceCard voice={voice} />
          {voice.demoUrl !== null && <audio controls preload="none" src={here(voice.demoUrl)} aria-label={t("train.demo", { name: voice.title })} />}
          {voice.isUsable ? (
            <div class="row">
              <a class="button primary size-m" href={`#/convert?voice=${voice.id}`}>
                {t("train.use")}
              </a>
              <a class="button size-m" href={`#/blend?voice=${voice.id}`}>
                {t("train.blend")}
              </a>
            </div>
          ) : (
            record.review && <p class="muted">{t("train.reviewed")}</p>
          )}
        </>
      )}
      <Problem problem={problem} />
    </Card>
  );
}
