import { bytes } from "../../lib/format";
import { language, maybe, t } from "../../lib/strings";
import { Card } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { Icon } from "../../ui/Icon";
import { Problem } from "../../ui/Problem";
import { Chart } from "./chart";
import { Table } from "./list";
import { most, rates, readiness, readings, sum, unread, type Reading } from "./metrics";

/** The kinds of job as the figures name them. */
const KINDS = ["voice-conversion", "vocal-separation", "stem-split", "voice-blend", "voice-training"] as const;

/** What this page itself asks, again and again: it would hide what others ask. */
const OWN = new Set(["getMetrics", "isReady", "isAlive"]);
const others = (labels: Record<string, string>) => !OWN.has(labels.operation);
const failed = (labels: Record<string, string>) => others(labels) && labels.status.startsWith("5");

/** Seconds in words that are short. */
export function span(seconds: number): string {
  const [unit, value] = seconds < 100 ? (["second", seconds] as const) : seconds < 5400 ? (["minute", seconds / 60] as const) : (["hour", seconds / 3600] as const);
  return value.toLocaleString(language.value, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: value < 10 ? 1 : 0 });
}

function Health() {
  const found = readiness.value;
  if (found === null) return null;
  const well = found.status === "ok";
  return (
    <Card
      title={t("operators.health.title")}
      text={t(well ? "operators.health.well" : "operators.health.ill")}
      actions={<span class={`badge ${well ? "success" : "error"}`}>{t(well ? "operators.health.ok" : "operators.health.unavailable")}</span>}
    >
      <ul class="ops-checks">
        {Object.entries(found.checks).map(([name, up]) => (
          <li key={name} class={up ? "up" : "down"}>
            <Icon name={up ? "check" : "warning"} size={18} />
            <span>
              <strong>{maybe(`operators.check.${name}.name`) ?? name}</strong>
              <span class="muted small">{maybe(`operators.check.${name}.${up ? "up" : "down"}`) ?? (up ? t("operators.health.ok") : t("operators.health.unavailable"))}</span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Tile({ label, value, note, alarm = false }: { label: string; value: string; note?: string; alarm?: boolean }) {
  return (
    <div class={`ops-tile${alarm ? " alarm" : ""}`}>
      <dt>{label}</dt>
      <dd>
        <span class="number">{value}</span>
        {note !== undefined && <span class="muted small">{note}</span>}
      </dd>
    </div>
  );
}

function Queues({ now }: { now: Reading }) {
  const of = (kind: string, name: string, more: Record<string, string> = {}) =>
    sum(now, name, (labels) => labels.kind === kind && Object.entries(more).every(([key, value]) => labels[key] === value));
  const lost = (kind: string) => of(kind, "attempts_total", { outcome: "failed" }) + of(kind, "attempts_total", { outcome: "worker_died" });
  return (
    <Card title={t("operators.queues.title")} text={t("operators.queues.text")}>
      <Table
        label={t("operators.queues.title")}
        rows={[...KINDS]}
        keyOf={(kind) => kind}
        columns={[
          { label: t("operators.queues.kind"), cell: (kind) => <strong>{t(`operators.kinds.${kind}`)}</strong> },
          { label: t("operators.queues.waiting"), cell: (kind) => <span class="number">{of(kind, "jobs_waiting")}</span> },
          { label: t("operators.queues.running"), cell: (kind) => <span class="number">{of(kind, "jobs_running")}</span> },
          { label: t("operators.queues.oldest"), cell: (kind) => (of(kind, "jobs_waiting") === 0 ? "–" : span(of(kind, "jobs_oldest_wait_seconds"))) },
          { label: t("operators.queues.completed"), cell: (kind) => <span class="number">{of(kind, "attempts_total", { outcome: "completed" })}</span> },
          { label: t("operators.queues.failed"), cell: (kind) => <span class="number">{lost(kind)}</span> },
        ]}
      />
    </Card>
  );
}

function Charts() {
  const list = readings.value;
  const seconds = (list[list.length - 1].at - list[0].at) / 1000;
  const at = (name: string, of?: (labels: Record<string, string>) => boolean) => list.map((reading) => sum(reading, name, of));
  const grown = (name: string, of?: (labels: Record<string, string>) => boolean) => rates(list, (reading) => sum(reading, name, of));
  const perSecond = (value: number) => t("operators.chart.perSecond", { n: value.toLocaleString(language.value, { maximumFractionDigits: 1 }) });
  const answers = grown("http_request_duration_seconds_count", others);
  const times = grown("http_request_duration_seconds_sum", others).map((spent, i) => (answers[i] === 0 ? 0 : (spent / answers[i]) * 1000));
  return (
    <Card title={t("operators.chart.title")} text={t("operators.chart.text")}>
      <div class="ops-charts">
        <Chart
          title={t("operators.chart.jobs")}
          seconds={seconds}
          lines={[
            { label: t("operators.queues.running"), values: at("jobs_running") },
            { label: t("operators.queues.waiting"), values: at("jobs_waiting") },
          ]}
        />
        <Chart
          title={t("operators.chart.workers")}
          seconds={seconds}
          lines={[
            { label: t("operators.chart.busy"), values: at("workers", (labels) => labels.state === "busy") },
            { label: t("operators.chart.idle"), values: at("workers", (labels) => labels.state === "idle") },
          ]}
        />
        <Chart
          title={t("operators.chart.requests")}
          seconds={seconds}
          say={perSecond}
          lines={[
            { label: t("operators.chart.all"), values: grown("http_requests_total", others) },
            { label: t("operators.chart.errors"), values: grown("http_requests_total", failed) },
          ]}
        />
        <Chart
          title={t("operators.chart.times")}
          seconds={seconds}
          say={(value) => `${Math.round(value).toLocaleString(language.value)} ms`}
          lines={[{ label: t("operators.chart.mean"), values: times }]}
        />
        <Chart
          title={t("operators.chart.uploads")}
          seconds={seconds}
          say={(value) => `${bytes(value)}/s`}
          lines={[{ label: t("operators.chart.arriving"), values: grown("upload_bytes_total") }]}
        />
        <Chart
          title={t("operators.chart.work")}
          seconds={seconds}
          lines={[{ label: t("operators.chart.threads"), values: grown("work_seconds_total", (labels) => labels.part !== "wait") }]}
        />
      </div>
    </Card>
  );
}

/** How the server does at this moment, and did since the page was opened. */
export function Overview() {
  const list = readings.value;
  const now = list.at(-1);
  if (now === undefined) {
    return (
      <div class="stack ops-stack">
        <Problem problem={unread.value} />
        {unread.value === null && <p class="muted">{t("operators.reading")}</p>}
      </div>
    );
  }
  const workers = sum(now, "workers");
  const busy = sum(now, "workers", (labels) => labels.state === "busy");
  const crashes = sum(now, "worker_crashes_total");
  const backlog = sum(now, "webhook_backlog");
  const waiting = sum(now, "jobs_waiting");
  return (
    <div class="stack ops-stack">
      <Problem problem={unread.value} />
      <dl class="ops-tiles">
        <Tile label={t("operators.tile.running")} value={String(sum(now, "jobs_running"))} />
        <Tile label={t("operators.tile.waiting")} value={String(waiting)} note={waiting === 0 ? undefined : t("operators.tile.oldest", { span: span(most(now, "jobs_oldest_wait_seconds")) })} />
        <Tile label={t("operators.tile.workers")} value={`${busy} / ${workers}`} note={t("operators.tile.busy")} alarm={workers === 0} />
        <Tile label={t("operators.tile.crashes")} value={String(crashes)} note={t("operators.tile.sinceStart")} alarm={crashes > 0} />
        <Tile label={t("operators.tile.webhooks")} value={String(backlog)} note={t("operators.tile.toSend")} />
      </dl>
      <Health />
      <Queues now={now} />
      <Charts />
      <CodeSame method="GET" path="/admin/jobs?status=running" />
    </div>
  );
}
