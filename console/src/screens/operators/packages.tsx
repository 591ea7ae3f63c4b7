import { usePage } from "../../lib/pages";
import { useState } from "preact/hooks";
import { asProblem, send } from "../../lib/api";
import { bytes } from "../../lib/format";
import { maybe, t } from "../../lib/strings";
import type { Package } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { Dialog } from "../../ui/Dialog";
import { Toggle } from "../../ui/Field";
import { Problem } from "../../ui/Problem";
import { toast } from "../../ui/toast";
import { Table } from "./list";
import { PackageFacts } from "./model-facts";

/** The packages that are no voices: voices are in the list above, with whose they are. */
export function Packages() {
  const { shown, problem, again } = usePage<Package>("/admin/packages?perPage=1000");
  const [facts, setFacts] = useState<Package | null>(null);
  const [leaving, setLeaving] = useState<Package | null>(null);
  const rows = shown?.data.filter((one) => one.kind !== "voice") ?? [];
  return (
    <Card title={t("operators.package.title")} text={t("operators.package.text")}>
      <Problem problem={problem} />
      {shown === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
      {shown !== null && rows.length === 0 && <p class="muted">{t("operators.package.none")}</p>}
      {rows.length > 0 && (
        <Table
          label={t("operators.package.title")}
          rows={rows}
          keyOf={(one) => one.packageId}
          columns={[
            {
              label: t("operators.package.name"),
              cell: (one) => (
                <span class="ops-lines">
                  <button type="button" class="ops-link" aria-label={t("operators.models.facts", { name: one.name })} onClick={() => setFacts(one)}>
                    {one.name}
                  </button>
                  <span class="muted small ops-break">
                    {one.packageId} {one.version}
                  </span>
                </span>
              ),
            },
            { label: t("operators.package.kind"), cell: (one) => maybe(`operators.package.kinds.${one.kind}`) ?? one.kind },
            {
              label: t("operators.package.use"),
              cell: (one) => (one.usedFor === null ? <span class="muted">{one.task === null ? "–" : t("operators.package.other")}</span> : <span class="badge success">{t("operators.package.usedFor", { task: one.usedFor })}</span>),
            },
            { label: t("operators.package.bytes"), cell: (one) => <span class="number">{bytes(one.bytes)}</span> },
            {
              label: t("operators.actions"),
              quiet: true,
              cell: (one) => (
                <span class="row ops-actions">
                  <Button size="s" kind="quiet" icon="trash" aria-label={t("operators.removeOne", { name: one.name })} onClick={() => setLeaving(one)} />
                </span>
              ),
            },
          ]}
        />
      )}
      <CodeSame method="GET" path="/admin/packages" />
      {facts !== null && (
        <Dialog open title={facts.name} onClose={() => setFacts(null)}>
          <PackageFacts of={facts} />
        </Dialog>
      )}
      {leaving !== null && <Remove one={leaving} onClose={() => setLeaving(null)} onGone={again} />}
    </Card>
  );
}

/** Removes a package. One that others need is offered to be removed all the same, once the server has said so. */
function Remove({ one, onClose, onGone }: { one: Package; onClose: () => void; onGone: () => void }) {
  const [forced, setForced] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const needed = problem !== null && asProblem(problem).code === "E_MODEL_NEEDED";
  const remove = async () => {
    setBusy(true);
    try {
      await send("DELETE", `/admin/packages/${encodeURIComponent(one.packageId)}${forced ? "?force=true" : ""}`);
      toast(t("operators.package.removed", { name: one.name }), "success");
      onGone();
      onClose();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      title={t("operators.package.removeTitle")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="danger" icon="trash" busy={busy} onClick={() => void remove()}>
            {t("operators.remove")}
          </Button>
        </>
      }
    >
      <p>{t("operators.package.removeText", { name: one.name })}</p>
      {needed && <Toggle label={t("operators.package.force")} help={t("operators.package.forceHelp")} value={forced} onChange={setForced} />}
      <Problem problem={problem} />
    </Dialog>
  );
}
