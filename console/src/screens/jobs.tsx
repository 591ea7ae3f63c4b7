import { useState } from "preact/hooks";
import { here, send } from "../lib/api";
import { ended } from "../lib/follow";
import { when } from "../lib/format";
import { filtered, pageOf, usePage } from "../lib/pages";
import { go } from "../lib/router";
import { can } from "../lib/session";
import { t } from "../lib/strings";
import type { AnyJob, JobKind } from "../lib/types";
import { Button } from "../ui/Button";
import { Card, EmptyState } from "../ui/Card";
import { CodeSame } from "../ui/CodeSame";
import { Dialog } from "../ui/Dialog";
import { Select } from "../ui/Field";
import { Icon } from "../ui/Icon";
import { JobStatus, StatusBadge } from "../ui/JobStatus";
import { Problem } from "../ui/Problem";
import { toast } from "../ui/toast";
import type { ScreenProps } from "./index";
import "./jobs.css";

/** The kinds of job as records name them, and their paths. */
const KINDS = {
  "voice-conversion": "voice-conversions",
  "vocal-separation": "vocal-separations",
  "stem-split": "stem-splits",
  "voice-blend": "voice-blender",
  "voice-training": "voice-trainings",
} as const satisfies Record<string, JobKind>;
/** The screens in which they are opened. */
const SCREENS: Partial<Record<keyof typeof KINDS, string>> = {
  "voice-conversion": "convert",
  "vocal-separation": "separate",
  "stem-split": "split",
  "voice-blend": "blend",
  "voice-training": "train",
};
const STATUSES = ["running", "success", "error", "cancelled"] as const;

const PER_PAGE = 20;
/** How often the list is read again while something in it goes on, in milliseconds. */
const POLL = 2000;

interface Job extends AnyJob {
  kind: keyof typeof KINDS;
  title?: string;
  model?: { title: string } | null;
  archiveUrl?: string | null;
}

/** What a job is called: the title that it was given, or the voice, else its number. */
function name(job: Job): string {
  const number = t("jobs.number", { n: job.id });
  const title = job.title ?? job.model?.title;
  return title === undefined ? number : `${title} · ${number}`;
}

export default function Jobs({ query }: ScreenProps) {
  const kind = query.get("kind") ?? "";
  const status = query.get("status") ?? "";
  const page = pageOf(query);
  const [refused, setRefused] = useState<unknown>(null);
  const [leaving, setLeaving] = useState<Job | null>(null);
  const [busy, setBusy] = useState(false);

  const asked = new URLSearchParams({ order: "desc", perPage: String(PER_PAGE), page: String(page) });
  if (kind !== "") asked.set("kind", kind);
  if (status !== "") asked.set("status", status);
  const path = `/jobs?${asked}`;

  const { shown, problem, again } = usePage<Job>(path, POLL, ({ data }) => data.some((job) => !ended(job.status)));
  const show = (changes: Record<string, string>) => filtered("/jobs", query, changes);

  const remove = async (job: Job) => {
    setBusy(true);
    setRefused(null);
    try {
      await send("DELETE", `/${KINDS[job.kind]}/${job.id}`);
      toast(t("jobs.removed", { name: name(job) }), "success");
      again();
    } catch (error) {
      setRefused(error);
    }
    setBusy(false);
    setLeaving(null);
  };

  const all = { value: "", label: t("jobs.all") };
  const last = shown?.meta.lastPage ?? 1;
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t("jobs.title")}</h1>
        <p>{t("jobs.text")}</p>
      </header>
      <div class="job-filters">
        <Select
          label={t("jobs.kind")}
          value={kind}
          onChange={(value) => show({ kind: value })}
          options={[all, ...(Object.keys(KINDS) as Job["kind"][]).map((one) => ({ value: one, label: t(`jobs.kinds.${one}`) }))]}
        />
        <Select
          label={t("jobs.status")}
          value={status}
          onChange={(value) => show({ status: value })}
          options={[all, ...STATUSES.map((one) => ({ value: one, label: t(`ui.status.${one}`) }))]}
        />
      </div>
      <Problem problem={problem ?? refused} />
      {shown === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
      {shown !== null && shown.data.length === 0 && (
        <EmptyState
          icon="jobs"
          title={kind === "" && status === "" ? t("jobs.none") : t("jobs.noneOfThese")}
          text={t("jobs.noneText")}
          action={
            <Button kind="primary" icon="convert" onClick={() => go("/convert")}>
              {t("jobs.begin")}
            </Button>
          }
        />
      )}
      <ul class="jobs">
        {shown?.data.map((job) => (
          <li key={job.id}>
            <Card
              title={name(job)}
              text={`${t(`jobs.kinds.${job.kind}`)} · ${when(job.createdAt)}`}
              actions={<StatusBadge status={job.status} />}
            >
              <JobStatus kind={KINDS[job.kind]} record={job} onChange={again} onRetry={can("write") ? again : undefined} />
              <div class="row">
                {SCREENS[job.kind] !== undefined && (
                  <a class="button plain size-s" href={`#/${SCREENS[job.kind]}/${job.id}`}>
                    {t("jobs.open")}
                    <span class="sr-only">{name(job)}</span>
                  </a>
                )}
                {typeof job.archiveUrl === "string" && (
                  <a class="button plain size-s" href={here(job.archiveUrl)} download>
                    <Icon name="download" size={16} /> {t("jobs.files")}
                    <span class="sr-only">{name(job)}</span>
                  </a>
                )}
                {ended(job.status) && can("write") && (
                  <Button size="s" kind="quiet" icon="trash" aria-label={t("jobs.removeOne", { name: name(job) })} onClick={() => setLeaving(job)}>
                    {t("jobs.remove")}
                  </Button>
                )}
              </div>
            </Card>
          </li>
        ))}
      </ul>
      {last > 1 && (
        <nav class="row" aria-label={t("jobs.pages")}>
          <Button icon="left" disabled={page <= 1} onClick={() => show({ page: String(page - 1) })}>
            {t("jobs.newer")}
          </Button>
          <span class="muted">{t("jobs.page", { n: page, of: last })}</span>
          <Button icon="right" disabled={page >= last} onClick={() => show({ page: String(page + 1) })}>
            {t("jobs.older")}
          </Button>
        </nav>
      )}
      <CodeSame method="GET" path={path} />
      <Dialog
        open={leaving !== null}
        title={t("jobs.removeTitle")}
        onClose={() => setLeaving(null)}
        actions={
          <>
            <Button onClick={() => setLeaving(null)}>{t("ui.cancel")}</Button>
            <Button kind="danger" icon="trash" busy={busy} onClick={() => leaving !== null && void remove(leaving)}>
              {t("jobs.remove")}
            </Button>
          </>
        }
      >
        <p>{t("jobs.removeText", { name: leaving === null ? "" : name(leaving) })}</p>
      </Dialog>
    </div>
  );
}
