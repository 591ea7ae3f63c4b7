import { pageOf, usePage } from "../../lib/pages";
import { parseDate } from "../../lib/format";
import { language, t } from "../../lib/strings";
import type { AuditLine } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card, EmptyState } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { Problem } from "../../ui/Problem";
import { TextFilter } from "./jobs";
import { filter, Pager, Table, type TabProps } from "./list";

const PER_PAGE = 50;

/** A time to the second: what is looked for here happened in an order. */
function exactly(time: string): string {
  return parseDate(time).toLocaleString(language.value, { dateStyle: "medium", timeStyle: "medium" });
}

/** What was done, by whom, and how it ended. */
export function Audit({ query }: TabProps) {
  const asked = new URLSearchParams({ order: query.get("order") === "asc" ? "asc" : "desc", perPage: String(PER_PAGE), page: String(pageOf(query)) });
  for (const name of ["user", "action"]) {
    const value = query.get(name);
    if (value !== null) asked.set(name, value);
  }
  const path = `/admin/audit?${asked}`;
  const { shown, problem, again } = usePage<AuditLine>(path);
  const narrow = (name: "user" | "action", value: string) => (
    <button type="button" class="ops-link" title={t("operators.onlyThese")} onClick={() => filter("audit", query, { [name]: value })}>
      {value}
    </button>
  );
  return (
    <div class="stack ops-stack">
      <div class="ops-filters">
        <TextFilter label={t("operators.audit.user")} value={query.get("user") ?? ""} onChange={(user) => filter("audit", query, { user })} />
        <TextFilter label={t("operators.audit.action")} value={query.get("action") ?? ""} onChange={(action) => filter("audit", query, { action })} />
        <div class="row ops-filter-buttons">
          <Button icon={asked.get("order") === "asc" ? "up" : "down"} onClick={() => filter("audit", query, { order: asked.get("order") === "asc" ? "" : "asc" })}>
            {t(asked.get("order") === "asc" ? "operators.audit.oldest" : "operators.audit.newest")}
          </Button>
          <Button icon="refresh" aria-label={t("operators.readAgain")} onClick={again} />
        </div>
      </div>
      <Problem problem={problem} />
      {shown === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
      {shown?.data.length === 0 && <EmptyState icon="clock" title={t("operators.audit.none")} text={t("operators.audit.noneText")} />}
      {shown !== null && shown.data.length > 0 && (
        <Card>
          <Table
            label={t("operators.tab.audit")}
            rows={shown.data}
            keyOf={(line) => line.id}
            columns={[
              { label: t("operators.audit.at"), cell: (line) => <span class="number">{exactly(line.at)}</span> },
              { label: t("operators.audit.user"), cell: (line) => (line.user === null ? <span class="muted">{t("operators.audit.server")}</span> : narrow("user", line.user)) },
              {
                label: t("operators.audit.action"),
                cell: (line) => (
                  <span class="ops-lines">
                    {narrow("action", line.action)}
                    <span class="muted small ops-break">{line.target}</span>
                  </span>
                ),
              },
              { label: t("operators.audit.outcome"), cell: (line) => <span class={`badge ${line.outcome === "ok" ? "success" : "error"}`}>{line.outcome === "ok" ? t("operators.audit.ok") : line.outcome}</span> },
              {
                label: t("operators.audit.from"),
                cell: (line) => (
                  <span class="ops-lines">
                    <span>
                      {line.address ?? (line.user === null ? "–" : t("operators.audit.commandLine"))}
                      {line.keyId !== null && (
                        <span class="muted">
                          {" · "}
                          {t("operators.audit.key")} <code>{line.keyId}</code>
                        </span>
                      )}
                    </span>
                    {line.requestId !== null && (
                      <span class="muted small" title={t("ui.requestId")}>
                        <span class="sr-only">{t("ui.requestId")}</span> <code>{line.requestId}</code>
                      </span>
                    )}
                  </span>
                ),
              },
            ]}
          />
        </Card>
      )}
      <Pager tab="audit" query={query} page={shown} />
      <CodeSame method="GET" path={path} />
    </div>
  );
}
