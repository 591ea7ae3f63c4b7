import { usePage } from "../../lib/pages";
import { Confirm } from "../../ui/Confirm";
import { useEffect, useState } from "preact/hooks";
import { get, send } from "../../lib/api";
import { when } from "../../lib/format";
import { go } from "../../lib/router";
import { t } from "../../lib/strings";
import type { InstalledEffect } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card, EmptyState } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { Problem } from "../../ui/Problem";
import { toast } from "../../ui/toast";
import { Install } from "./install";
import { found, Search, Table, useAction, type TabProps } from "./list";
import { Report } from "./report";

/** What one version of an effect is called in paths. */
const full = (effect: InstalledEffect) => `${effect.id}@${effect.version}`;

/** The effects that are installed: all versions, disabled ones too. */
export function Effects({ id, query }: TabProps) {
  const { shown, problem, again } = usePage<InstalledEffect>("/admin/effects");
  const action = useAction(again);
  const [leaving, setLeaving] = useState<InstalledEffect | null>(null);
  const rows = shown?.data.filter((one) => found(query, `${one.name} ${one.id} ${one.vendor} ${one.tags.join(" ")}`));
  const versions = (effect: InstalledEffect) => shown?.data.filter((one) => one.id === effect.id).length ?? 0;
  return (
    <div class="stack ops-stack">
      <Install
        onInstalled={(effect) => {
          again();
          go(`/operators/effects/${encodeURIComponent(full(effect))}`);
        }}
      />
      {id !== "" && <Installed key={id} name={id} />}
      <Card title={t("operators.effects.title")} text={t("operators.effects.text")}>
        <Search tab="effects" query={query} label={t("ui.chain.search")} />
        <Problem problem={problem ?? action.problem} />
        {shown === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
        {rows?.length === 0 && <EmptyState icon="settings" title={t("operators.effects.none")} text={t("operators.effects.noneText")} />}
        {rows !== undefined && rows.length > 0 && (
          <Table
            label={t("operators.effects.title")}
            rows={rows}
            keyOf={full}
            columns={[
              {
                label: t("operators.effects.effect"),
                cell: (one) => (
                  <span class="ops-lines">
                    <a class="ops-name" href={`#/operators/effects/${encodeURIComponent(full(one))}`}>
                      {one.name}
                    </a>
                    <span class="muted small ops-break">{one.summary}</span>
                  </span>
                ),
              },
              {
                label: t("operators.effects.version"),
                cell: (one) => (
                  <span class="ops-lines">
                    <span class="number">{one.version}</span>
                    {versions(one) > 1 && <span class="muted small">{t("operators.effects.several", { n: versions(one) })}</span>}
                  </span>
                ),
              },
              {
                label: t("operators.effects.origin"),
                cell: (one) => (
                  <span class="ops-lines">
                    {t(`operators.effects.from.${one.origin}`)}
                    {one.origin === "installed" && (
                      <span class="muted small">
                        {one.installedBy === null ? when(one.installedAt) : t("operators.effects.by", { user: one.installedBy, when: when(one.installedAt) })}
                      </span>
                    )}
                  </span>
                ),
              },
              { label: t("operators.state"), cell: (one) => <span class={`badge ${one.enabled ? "success" : ""}`}>{t(one.enabled ? "operators.effects.enabled" : "operators.effects.disabled")}</span> },
              {
                label: t("operators.actions"),
                quiet: true,
                cell: (one) => (
                  <span class="row ops-actions">
                    <Button
                      size="s"
                      disabled={action.busy}
                      aria-label={t(one.enabled ? "operators.disableOne" : "operators.enableOne", { name: `${one.name} ${one.version}` })}
                      onClick={() => action.run(() => send("PATCH", `/admin/effects/${full(one)}`, { enabled: !one.enabled }))}
                    >
                      {t(one.enabled ? "operators.disable" : "operators.enable")}
                    </Button>
                    {one.origin === "installed" && (
                      <Button size="s" kind="quiet" icon="trash" aria-label={t("operators.removeOne", { name: `${one.name} ${one.version}` })} onClick={() => setLeaving(one)} />
                    )}
                  </span>
                ),
              },
            ]}
          />
        )}
        <CodeSame method="GET" path="/admin/effects" />
      </Card>
      {leaving !== null && (
        <Confirm
          title={t("operators.effects.removeTitle")}
          label={t("operators.remove")}
          onClose={() => setLeaving(null)}
          run={async () => {
            await send("DELETE", `/admin/effects/${full(leaving)}`);
            toast(t("operators.effects.removed", { name: leaving.name, version: leaving.version }), "success");
            if (id === full(leaving)) go("/operators/effects");
            again();
          }}
        >
          <p>{t("operators.effects.removeText", { name: leaving.name, version: leaving.version })}</p>
        </Confirm>
      )}
    </div>
  );
}

/** One effect that the address names. */
function Installed({ name }: { name: string }) {
  const [effect, setEffect] = useState<InstalledEffect | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    const stop = new AbortController();
    get<InstalledEffect>(`/admin/effects/${name}`, { signal: stop.signal }).then(setEffect, (error) => !stop.signal.aborted && setProblem(error));
    return () => stop.abort();
  }, [name]);
  if (problem !== null) return <Problem problem={problem} />;
  return effect === null ? <p class="muted">{t("ui.loading")}</p> : <Report of={effect} />;
}
