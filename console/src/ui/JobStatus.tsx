import { useState } from "preact/hooks";
import { send } from "../lib/api";
import { ended } from "../lib/follow";
import { maybe, t } from "../lib/strings";
import type { AnyJob, JobKind } from "../lib/types";
import { Button } from "./Button";
import { Progress } from "./Card";
import { Icon } from "./Icon";
import { Problem } from "./Problem";

/** The word for a job's state. */
export function StatusBadge({ status }: { status: string }) {
  return <span class={`badge ${status}`}>{maybe(`ui.status.${status}`) ?? status}</span>;
}

interface Props {
  kind: JobKind;
  record: AnyJob;
  /** Called with the record after it was cancelled. */
  onChange?: (record: AnyJob) => void;
  /** Called with the job that tries this one again. */
  onRetry?: (record: AnyJob) => void;
}

/** A job on its way: stage, progress, place in the queue, cancelling; how it ended; and what there is to know about it. */
export function JobStatus({ kind, record, onChange, onRetry }: Props) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const act = async (what: "cancel" | "retry", then?: (record: AnyJob) => void) => {
    setBusy(true);
    setProblem(null);
    try {
      then?.(await send<AnyJob>("POST", `/${kind}/${record.id}/${what}`));
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  const place = record.queuePosition ?? null;
  const stage = record.stage ?? "queued";
  const text =
    place !== null
      ? place === 1
        ? t("ui.job.next")
        : t("ui.job.place", { n: place })
      : (maybe(`ui.stage.${stage}`) ?? stage);
  return (
    <div class="job-status">
      <p class="sr-only" role="status">
        {ended(record.status) ? (maybe(`ui.status.${record.status}`) ?? record.status) : text}
      </p>
      {!ended(record.status) && (
        <div class="job-line">
          <div class="grow">
            <Progress value={place !== null ? null : (record.progress ?? 0) / 100} text={text} />
          </div>
          <Button size="s" icon="stop" busy={busy} onClick={() => void act("cancel", onChange)}>
            {t("ui.job.cancel")}
          </Button>
        </div>
      )}
      {record.status === "error" && (
        <div class="problem" role="alert">
          <Icon name="warning" />
          <div class="grow">
            <strong>{t("ui.job.failed")}</strong>
            <p>{record.error?.message ?? ""}</p>
            <p class="problem-foot">
              <code>{record.error?.code ?? ""}</code>
            </p>
          </div>
        </div>
      )}
      {record.status === "cancelled" && <p class="muted">{t("ui.job.cancelled")}</p>}
      {ended(record.status) && record.status !== "success" && onRetry !== undefined && (
        <div>
          <Button icon="refresh" busy={busy} onClick={() => void act("retry", onRetry)}>
            {t("ui.job.retry")}
          </Button>
        </div>
      )}
      {(record.warnings ?? []).map((warning) => (
        <p key={`${warning.code}${warning.field}${warning.atSeconds}`} class="note warning">
          <Icon name="warning" size={18} /> <span>{warning.message}</span>
        </p>
      ))}
      <Problem problem={problem} />
    </div>
  );
}
