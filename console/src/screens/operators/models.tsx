import { pageOf, usePage } from "../../lib/pages";
import { Confirm } from "../../ui/Confirm";
import { useState } from "preact/hooks";
import { send } from "../../lib/api";
import { when } from "../../lib/format";
import type { components } from "../../lib/types";
import { t } from "../../lib/strings";
import { Button } from "../../ui/Button";
import { Card, EmptyState } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { Problem } from "../../ui/Problem";
import { toast } from "../../ui/toast";
import { found, Pager, Search, Table, useAction, type TabProps } from "./list";
import { ModelFacts } from "./model-facts";
import { Packages } from "./packages";

export type Voice = components["schemas"]["ListedVoiceModel"];

const PER_PAGE = 200;

/** The voices of all users, and the packages that models come in. */
export function Models({ query }: TabProps) {
  const { shown, problem, again } = usePage<Voice>(`/admin/models?perPage=${PER_PAGE}&page=${pageOf(query)}`);
  const action = useAction(again);
  const [leaving, setLeaving] = useState<Voice | null>(null);
  const [facts, setFacts] = useState<Voice | null>(null);
  const rows = shown?.data.filter((voice) => found(query, `${voice.title} ${voice.owner ?? ""} ${voice.packageId}`));
  const change = (voice: Voice, body: object) => action.run(() => send("PATCH", `/admin/models/${voice.id}`, body));
  return (
    <div class="stack ops-stack">
      <Card title={t("operators.models.title")} text={t("operators.models.text")}>
        <Search tab="models" query={query} label={t("operators.models.search")} />
        <Problem problem={problem ?? action.problem} />
        {shown === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
        {rows?.length === 0 && <EmptyState icon="voices" title={t("operators.models.none")} text={t("operators.models.noneText")} />}
        {rows !== undefined && rows.length > 0 && (
          <Table
            label={t("operators.models.title")}
            rows={rows}
            keyOf={(voice) => voice.id}
            columns={[
              {
                label: t("operators.models.voice"),
                cell: (voice) => (
                  <span class="ops-lines">
                    <button type="button" class="ops-link" aria-label={t("operators.models.facts", { name: voice.title })} onClick={() => setFacts(voice)}>
                      {voice.title}
                    </button>
                    <span class="muted small ops-break">{voice.packageId}</span>
                  </span>
                ),
              },
              { label: t("operators.models.owner"), cell: (voice) => <Owner of={voice} /> },
              { label: t("operators.state"), cell: (voice) => <State of={voice} /> },
              { label: t("operators.models.since"), cell: (voice) => when(voice.createdAt) },
              {
                label: t("operators.actions"),
                quiet: true,
                cell: (voice) => (
                  <span class="row ops-actions">
                    {(voice.owner !== null || voice.publishedFrom !== null) && (
                      <Button
                        size="s"
                        disabled={action.busy}
                        aria-label={t(voice.public ? "operators.models.withdrawOne" : "operators.models.publishOne", { name: voice.title })}
                        onClick={() => change(voice, { public: !voice.public })}
                      >
                        {t(voice.public ? "operators.models.withdraw" : "operators.models.publish")}
                      </Button>
                    )}
                    <Button
                      size="s"
                      disabled={action.busy}
                      aria-label={t(voice.enabled ? "operators.disableOne" : "operators.enableOne", { name: voice.title })}
                      onClick={() => change(voice, { enabled: !voice.enabled })}
                    >
                      {t(voice.enabled ? "operators.disable" : "operators.enable")}
                    </Button>
                    <Button size="s" kind="quiet" icon="trash" aria-label={t("operators.removeOne", { name: voice.title })} onClick={() => setLeaving(voice)} />
                  </span>
                ),
              },
            ]}
          />
        )}
        <Pager tab="models" query={query} page={shown} />
        <CodeSame method="GET" path="/admin/models" />
      </Card>
      <Packages />
      {facts !== null && <ModelFacts voice={facts} onClose={() => setFacts(null)} />}
      {leaving !== null && (
        <Confirm
          title={t("operators.models.removeTitle")}
          label={t("operators.remove")}
          onClose={() => setLeaving(null)}
          run={async () => {
            await send("DELETE", `/admin/models/${leaving.id}`);
            toast(t("operators.models.removed", { name: leaving.title }), "success");
            again();
          }}
        >
          <p>{t("operators.models.removeText", { name: leaving.title })}</p>
        </Confirm>
      )}
    </div>
  );
}

function Owner({ of: voice }: { of: Voice }) {
  if (voice.owner !== null) {
    return (
      <a class="ops-name" href={`#/operators/keys?${new URLSearchParams({ user: voice.owner })}`}>
        {voice.owner}
      </a>
    );
  }
  return (
    <span class="ops-lines">
      {t("operators.models.everybody")}
      {voice.publishedFrom !== null && <span class="muted small">{t("operators.models.from", { user: voice.publishedFrom })}</span>}
    </span>
  );
}

function State({ of: voice }: { of: Voice }) {
  const state = !voice.enabled ? "disabled" : voice.isUsable ? "usable" : "unusable";
  return (
    <span class="ops-lines">
      <span class={`badge ${{ disabled: "", usable: "success", unusable: "error" }[state]}`}>{t(`operators.models.state.${state}`)}</span>
      {voice.unusableReason !== null && <span class="small">{voice.unusableReason}</span>}
    </span>
  );
}
