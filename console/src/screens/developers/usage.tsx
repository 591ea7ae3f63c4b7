import type { ComponentChildren } from "preact";
import { get } from "../../lib/api";
import { bytes } from "../../lib/format";
import { language, maybe, t } from "../../lib/strings";
import type { operations } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { Problem } from "../../ui/Problem";
import { useRead } from "../../lib/read";

type Used = operations["getUsage"]["responses"]["200"]["content"]["application/json"];

const STATUSES = ["running", "success", "error", "cancelled"] as const;
/** From this share on a limit is worth a warning. */
const NEAR = 0.8;

function count(value: number, digits = 0): string {
  return value.toLocaleString(language.value, { maximumFractionDigits: digits });
}

/** What the user has used, and how much there may be. */
export function Usage() {
  const { value: used, problem, again } = useRead((signal) => get<Used>("/usage", { signal }));
  return (
    <div class="dev-stack">
      <Card
        title={t("developers.usage.title")}
        text={t("developers.usage.text")}
        actions={
          <Button icon="refresh" onClick={again}>
            {t("developers.usage.again")}
          </Button>
        }
      >
        <Problem problem={problem} />
        {used === null && problem === null && <p class="muted">{t("developers.usage.loading")}</p>}
        {used !== null && <Meters used={used} />}
      </Card>
      {used !== null && <Kinds byKind={used.jobs.byKind} />}
      <CodeSame method="GET" path="/usage" />
    </div>
  );
}

function Meters({ used: { storage, audio, jobs, rateLimits } }: { used: Used }) {
  const of = (value: string, limit: string | null) => (limit === null ? t("developers.usage.unlimited", { value }) : t("developers.usage.of", { value, limit }));
  const minutes = (value: number) => t("developers.usage.minutes", { n: count(value, 1) });
  const rate = (limit: { perMinute: number; remaining: number } | null) =>
    limit === null ? t("developers.usage.noRate") : t("developers.usage.rate", { remaining: count(limit.remaining), limit: count(limit.perMinute) });
  return (
    <div class="dev-meters">
      <Meter
        label={t("developers.usage.storage")}
        words={of(bytes(storage.bytes), storage.quotaBytes === null ? null : bytes(storage.quotaBytes))}
        value={storage.bytes}
        limit={storage.quotaBytes}
        help={t("developers.usage.storageHelp")}
      />
      <Meter
        label={t("developers.usage.audio", { n: audio.days })}
        words={of(minutes(audio.minutes), audio.quotaMinutes === null ? null : minutes(audio.quotaMinutes))}
        value={audio.minutes}
        limit={audio.quotaMinutes}
        help={t("developers.usage.audioHelp", { n: audio.jobs })}
      />
      <Meter
        label={t("developers.usage.running")}
        words={of(count(jobs.running), count(jobs.maxRunning))}
        value={jobs.running}
        limit={jobs.maxRunning}
        calm
        help={t("developers.usage.runningHelp")}
      />
      <Meter label={t("developers.usage.queued")} words={of(count(jobs.queued), count(jobs.maxQueued))} value={jobs.queued} limit={jobs.maxQueued} help={t("developers.usage.queuedHelp")} />
      <Meter
        label={t("developers.usage.create")}
        words={rate(rateLimits.create)}
        value={rateLimits.create === null ? 0 : rateLimits.create.perMinute - rateLimits.create.remaining}
        limit={rateLimits.create?.perMinute ?? null}
        help={t("developers.usage.createHelp")}
      />
      <Meter
        label={t("developers.usage.read")}
        words={rate(rateLimits.read)}
        value={rateLimits.read === null ? 0 : rateLimits.read.perMinute - rateLimits.read.remaining}
        limit={rateLimits.read?.perMinute ?? null}
        help={t("developers.usage.readHelp")}
      />
    </div>
  );
}

interface MeterProps {
  label: string;
  /** The figures as words. */
  words: string;
  value: number;
  /** null where there is none. */
  limit: number | null;
  /** A full bar is nothing to worry about. */
  calm?: boolean;
  help: ComponentChildren;
}

function Meter({ label, words, value, limit, calm = false, help }: MeterProps) {
  const share = limit === null ? 0 : limit === 0 ? 1 : Math.min(1, Math.max(0, value / limit));
  const level = calm || share < NEAR ? "" : share < 1 ? " near" : " full";
  return (
    <div class="dev-meter">
      <div class="progress-text">
        <span>{label}</span>
        <span class="number">{words}</span>
      </div>
      {limit !== null && (
        <div class={`progress-bar${level}`} role="meter" aria-label={label} aria-valuemin={0} aria-valuemax={limit} aria-valuenow={Math.min(value, limit)} aria-valuetext={words}>
          <span style={{ "--share": String(share) }} />
        </div>
      )}
      {level !== "" && <p class={`small dev-level${level}`}>{t(level === " full" ? "developers.usage.full" : "developers.usage.near")}</p>}
      <p class="field-help">{help}</p>
    </div>
  );
}

function Kinds({ byKind }: { byKind: Used["jobs"]["byKind"] }) {
  return (
    <Card title={t("developers.usage.kindsTitle")} text={t("developers.usage.kindsText")}>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t("developers.usage.kindsTitle")}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t("developers.usage.kind")}</th>
              {STATUSES.map((status) => (
                <th key={status} scope="col">
                  {t(`ui.status.${status}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Object.entries(byKind).map(([kind, counts]) => (
              <tr key={kind}>
                <th scope="row">{maybe(`developers.kind.${kind}`) ?? kind}</th>
                {STATUSES.map((status) => (
                  <td key={status} class="number">
                    {count(counts[status])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
