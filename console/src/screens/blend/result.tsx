import { useEffect, useState } from "preact/hooks";
import { get, here } from "../../lib/api";
import { follow } from "../../lib/follow";
import { when } from "../../lib/format";
import { go } from "../../lib/router";
import { t } from "../../lib/strings";
import type { VoiceBlend, VoiceModel } from "../../lib/types";
import { Card } from "../../ui/Card";
import { JobStatus, StatusBadge } from "../../ui/JobStatus";
import { Problem } from "../../ui/Problem";
import { loadVoices, VoiceCard } from "../../ui/VoiceCard";

/** A blend on its way, and the voice that came of it. */
export function Result({ id }: { id: string }) {
  const [record, setRecord] = useState<VoiceBlend | null>(null);
  const [voice, setVoice] = useState<VoiceModel | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => follow<VoiceBlend>("voice-blender", id, setRecord, setProblem), [id]);
  const done = record?.status === "success" ? record.outputModelId : null;
  useEffect(() => {
    if (done === null) return;
    get<VoiceModel>(`/voice-models/${done}`).then(setVoice, setProblem);
    void loadVoices().catch(() => undefined);
  }, [done]);
  if (record === null) {
    return <Card title={t("blend.job", { id })}>{problem === null ? <p class="muted">{t("ui.loading")}</p> : <Problem problem={problem} />}</Card>;
  }
  return (
    <Card title={voice?.title ?? t("blend.job", { id })} text={`${t("blend.job", { id })} · ${when(record.createdAt)}`} actions={<StatusBadge status={record.status} />}>
      <JobStatus kind="voice-blender" record={record} onChange={(now) => setRecord(now as VoiceBlend)} onRetry={(again) => go(`/blend/${again.id}`)} />
      {voice !== null && (
        <>
          <VoiceCard voice={voice} />
          {voice.demoUrl !== null && <audio controls preload="none" src={here(voice.demoUrl)} aria-label={t("blend.demo", { name: voice.title })} />}
          <div class="row">
            <a class="button primary size-m" href={`#/convert?voice=${voice.id}`}>
              {t("blend.use")}
            </a>
            <a class="button size-m" href={`#/blend?voice=${voice.id}`}>
              {t("blend.further")}
            </a>
          </div>
        </>
      )}
      <Problem problem={problem} />
    </Card>
  );
}
