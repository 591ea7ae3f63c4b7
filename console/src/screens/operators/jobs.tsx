import { pageOf, usePage } from "../../lib/pages";
import { Confirm } from "../../ui/Confirm";
import { useEffect, useState } from "preact/hooks";
import { send } from "../../lib/api";
import { ended } from "../../lib/follow";
import { bytes, duration, percent, when } from "../../lib/format";
import { maybe, t } from "../../lib/strings";
import type { ListedJob } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card, EmptyState } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { Select, TextInput } from "../../ui/Field";
import { Problem } from "../../ui/Problem";
import { toast } from "../../ui/toast";
import { filter, Pager, Table, useAction, type TabProps } from "./list";

const PER_PAGE = 50;
const POLL = 2000;
/** The kinds by their paths, and how texts name them. */
const KINDS = {
  "voice-conversions": "voice-conversion",
  "vocal-separations": "vocal-separation",
  "stem-splits": "stem-split",
  "voice-blender": "voice-blend",
  "voice-trainings": "voice-training",
} as const;
const STATUSES = ["running", "success", "error", "cancelled"] as const;
/** The colours of states that differ from their name. */
const COLOURS: Record<string, string> = { queued: "", cancelling: "error", succeeded: "success", failed: "error", cancelled: "" };

/** A filter of a text that the server compares: it holds when the field is left, or Enter is pressed. */
export function TextFilter({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = () => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return <TextInput label={label} value={text} type="search" autoComplete="off" spellcheck={false} onInput={setText} onBlur={apply} onKeyDown={(event) => event.key === "Enter" && apply()} />;
}

/** The jobs of all users. What is in them is nobody's business but theirs. */
export function Jobs({ query }: TabProps) {
  const asked = new URLSearchParams({ order: "desc", perPage: String(PER_PAGE), page: String(pageOf(query)) });
  for (const name of ["user", "kind", "status"]) {
    const value = query.get(name);
    if (value !== null) asked.set(name, value);
  }
  const path = `/admin/jobs?${asked}`;
  const { shown, problem, again } = usePage<ListedJob>(path, POLL, (page) => page.data.some((job) => !ended(job.status)));
  const action = useAction(again);
  const [leaving, setLeaving] = useState<ListedJob | null>(null);
  const any = { value: "", label: t("operators.any") };
  const post = (job: ListedJob, what: "cancel" | "requeue") => action.run(() => send("POST", `/admin/jobs/${job.id}/${what}`));
  return (
    <div class="stack ops-stack">
      <div class="ops-filters">
        <TextFilter label={t("operators.jobs.user")} value={query.get("user") ?? ""} onChange={(user) => filter("jobs", query, { user })} />
        <Select
          label={t("operators.jobs.kind")}
          value={query.get("kind") ?? ""}
          onChange={(kind) => filter("jobs", query, { kind })}
          options={[any, ...Object.entries(KINDS).map(([value, name]) => ({ value, label: t(`operators.kinds.${name}`) }))]}
        />
        <Select
          label={t("operators.state")}
          value={query.get("status") ?? ""}
          onChange={(status) => filter("jobs", query, { status })}
          options={[any, ...STATUSES.map((value) => ({ value, label: t(`ui.status.${value}`) }))]}
        />
      </div>
      <Problem problem={problem ?? action.problem} />
      {shown === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
      {shown?.data.length === 0 && <EmptyState icon="jobs" title={t("operators.jobs.none")} text={t("operators.jobs.noneText")} />}
      {shown !== null && shown.data.length > 0 && (
        <Card>
          <Table
            label={t("operators.tab.jobs")}
            rows={shown.data}
            keyOf={(job) => job.id}
            columns={[
              {
                label: t("operators.jobs.job"),
                cell: (job) => (
                  <span class="ops-lines">
                    <strong>{t("operators.jobs.number", { n: job.id })}</strong>
                    <span class="muted">{t(`operators.kinds.${KINDS[job.kind]}`)}</span>
                  </span>
                ),
              },
              {
                label: t("operators.jobs.user"),
                cell: (job) => (
                  <button type="button" class="ops-link" title={t("operators.onlyThese")} onClick={() => filter("jobs", query, { user: job.user })}>
                    {job.user}
                  </button>
                ),
              },
              { label: t("operators.state"), cell: (job) => <State of={job} /> },
              {
                label: t("operators.jobs.accepted"),
                cell: (job) => (
                  <span class="ops-lines">
                    {when(job.createdAt)}
                    <Length of={job} />
                  </span>
                ),
              },
              { label: t("operators.jobs.attempts"), cell: (job) => <Attempts of={job} /> },
              {
                label: t("operators.actions"),
                quiet: true,
                cell: (job) => (
                  <span class="row ops-actions">
                    {job.state === "running" && (
                      <Button size="s" icon="refresh" disabled={action.busy} aria-label={t("operators.jobs.requeueOne", { n: job.id })} onClick={() => post(job, "requeue")}>
                        {t("operators.jobs.requeue")}
                      </Button>
                    )}
                    {!ended(job.status) && job.state !== "cancelling" && (
                      <Button size="s" icon="stop" disabled={action.busy} aria-label={t("operators.jobs.cancelOne", { n: job.id })} onClick={() => post(job, "cancel")}>
                        {t("ui.cancel")}
                      </Button>
                    )}
                    {ended(job.status) && <Button size="s" kind="quiet" icon="trash" aria-label={t("operators.jobs.removeOne", { n: job.id })} onClick={() => setLeaving(job)} />}
                  </span>
                ),
              },
            ]}
          />
        </Card>
      )}
      <Pager tab="jobs" query={query} page={shown} />
      <CodeSame method="GET" path={path} />
      {leaving !== null && (
        <Confirm
          title={t("operators.jobs.removeTitle")}
          label={t("operators.remove")}
          onClose={() => setLeaving(null)}
          run={async () => {
            await send("DELETE", `/admin/jobs/${leaving.id}`);
            toast(t("operators.jobs.removed", { n: leaving.id }), "success");
            again();
          }}
        >
          <p>{t("operators.jobs.removeText", { n: leaving.id, user: leaving.user })}</p>
        </Confirm>
      )}
    </div>
  );
}

function State({ of: job }: { of: ListedJob }) {
  const stage = maybe(`ui.stage.${job.stage}`) ?? job.stage;
  return (
    <span class="ops-lines">
      <span class={`badge ${COLOURS[job.state] ?? job.state}`}>{t(`operators.jobs.state.${job.state}`)}</span>
      {job.state === "running" && (
        <span class="muted small">
          {stage}, {percent(job.progress / 100)}
        </span>
      )}
      {job.error !== null && (
        <span class="small">
          {job.error.message} <code>{job.error.code}</code>
        </span>
      )}
    </span>
  );
}

/** How much there was to do. */
function Length({ of: job }: { of: ListedJob }) {
  const said = [job.inputDurationS === null ? "" : t("operators.jobs.long", { time: duration(job.inputDurationS) }), job.inputBytes === null ? "" : bytes(job.inputBytes)].filter(Boolean);
  return said.length === 0 ? null : <span class="muted small">{said.join(" · ")}</span>;
}

function Attempts({ of: job }: { of: ListedJob }) {
  const deaths = job.workerDeaths;
  return (
    <span class="ops-lines">
      <span class="number">{job.attempts}</span>
      {deaths > 0 && <span class="small ops-alarm">{t("operators.jobs.deaths", { n: deaths })}</span>}
      {job.retryOf !== null && <span class="muted small">{t("operators.jobs.retryOf", { n: job.retryOf })}</span>}
    </span>
  );
}
