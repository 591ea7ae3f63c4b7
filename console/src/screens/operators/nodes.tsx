import { when } from "../../lib/format";
import { pageOf, usePage } from "../../lib/pages";
import { t } from "../../lib/strings";
import type { Node } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { Problem } from "../../ui/Problem";
import { Pager, Table, type TabProps } from "./list";

/** As often as servers say that they are there, in milliseconds. */
const EVERY = 5000;

function state(node: Node) {
  if (node.isSilent) return { badge: "error", word: "silent" } as const;
  if (node.isDraining) return { badge: "running", word: "draining" } as const;
  return { badge: "success", word: "there" } as const;
}

/** The servers that share the database, and how each does. */
export function Nodes({ query }: TabProps) {
  const path = `/admin/nodes?perPage=50&page=${pageOf(query)}`;
  const { shown, problem, again } = usePage<Node>(path, EVERY, () => true);
  return (
    <div class="stack ops-stack">
      <Problem problem={problem} />
      {shown === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
      {shown !== null && (
        <Card
          title={t("operators.tab.nodes")}
          text={t("operators.nodes.text")}
          actions={<Button icon="refresh" aria-label={t("operators.readAgain")} onClick={again} />}
        >
          <Table
            label={t("operators.tab.nodes")}
            rows={shown.data}
            keyOf={(node) => node.id}
            columns={[
              {
                label: t("operators.nodes.name"),
                cell: (node) => (
                  <span class="ops-lines">
                    <strong class="ops-break">{node.name}</strong>
                    <span class="muted small">{node.release}</span>
                  </span>
                ),
              },
              {
                label: t("operators.state"),
                cell: (node) => <span class={`badge ${state(node).badge}`}>{t(`operators.nodes.${state(node).word}`)}</span>,
              },
              { label: t("operators.nodes.role"), cell: (node) => t(`operators.nodes.roles.${node.role}`) },
              {
                label: t("operators.nodes.queues"),
                cell: (node) => (node.queues.length === 0 ? "–" : node.queues.map((kind) => t(`operators.kinds.${kind}`)).join(", ")),
              },
              { label: t("operators.queues.running"), cell: (node) => <span class="number">{node.runningJobs}</span> },
              { label: t("operators.nodes.started"), cell: (node) => when(node.startedAt) },
              { label: t("operators.nodes.seen"), cell: (node) => when(node.lastSeenAt) },
            ]}
          />
        </Card>
      )}
      <Pager tab="nodes" query={query} page={shown} />
      <CodeSame method="GET" path={path} />
    </div>
  );
}
