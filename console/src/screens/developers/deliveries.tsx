import { useEffect, useState } from "preact/hooks";
import { get, send } from "../../lib/api";
import { parseDate, when } from "../../lib/format";
import { can } from "../../lib/session";
import { t } from "../../lib/strings";
import type { Page, Webhook, WebhookDelivery } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card, EmptyState } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { Icon } from "../../ui/Icon";
import { Problem } from "../../ui/Problem";
import { toast } from "../../ui/toast";
import { useAct, useRead } from "../../lib/read";
import { nameOf, WebhookBadge, WebhookFacts } from "./webhooks";

const PER_PAGE = 20;
/** How often the list is read again while a try is due soon, and while one is only due later, in milliseconds. */
const SOON = 1000;
const LATER = 15_000;

/** What was and is to be sent to a webhook. */
export function Deliveries({ id }: { id: string }) {
  const [page, setPage] = useState(1);
  const base = `/webhooks/${encodeURIComponent(id)}`;
  const path = `${base}/deliveries?order=desc&perPage=${PER_PAGE}&page=${page}`;
  const webhook = useRead((signal) => get<Webhook>(base, { signal }), [base]);
  const list = useRead((signal) => get<Page<WebhookDelivery>>(path, { signal }), [path]);
  const test = useAct();

  const waiting = list.value?.data.filter((one) => one.state === "pending") ?? [];
  const due = Math.min(...waiting.map((one) => (one.nextAttemptAt === null ? 0 : parseDate(one.nextAttemptAt).getTime())));
  useEffect(() => {
    if (waiting.length === 0) {
      // What came through is noted at the webhook, too.
      if (list.value !== null) webhook.again();
      return;
    }
    const timer = window.setTimeout(list.again, due - Date.now() < LATER ? SOON : LATER);
    return () => clearTimeout(timer);
  }, [list.value]);

  const again = () => {
    setPage(1);
    list.again();
  };
  const last = list.value?.meta.lastPage ?? 1;
  const hook = webhook.value;
  const sends = can("write") && hook !== null && hook.enabled;
  return (
    <div class="dev-stack">
      <p>
        <a class="dev-back" href="#/developers/webhooks">
          <Icon name="left" size={16} /> {t("developers.deliveries.back")}
        </a>
      </p>
      <Problem problem={webhook.problem} />
      {hook !== null && (
        <Card
          title={
            <span class="dev-name">
              {nameOf(hook)} <WebhookBadge webhook={hook} />
            </span>
          }
          text={hook.url ?? t("developers.webhooks.forJobsHelp")}
          actions={
            sends && hook.url !== null ? (
              <Button
                kind="primary"
                icon="upload"
                busy={test.busy}
                onClick={() =>
                  void test.act(async () => {
                    await send("POST", `${base}/test`);
                    again();
                  })
                }
              >
                {t("developers.deliveries.test")}
              </Button>
            ) : undefined
          }
        >
          <WebhookFacts webhook={hook} />
          {!hook.enabled && <p class="muted small">{t("developers.deliveries.paused")}</p>}
          <Problem problem={test.problem} />
        </Card>
      )}
      <Card title={t("developers.deliveries.title")}>
        <Problem problem={hook === null ? null : list.problem} />
        {list.value === null && list.problem === null && <p class="muted">{t("developers.deliveries.loading")}</p>}
        {list.value?.data.length === 0 && <EmptyState icon="webhook" title={t("developers.deliveries.none")} text={t("developers.deliveries.noneText")} />}
        <ul class="dev-list">
          {list.value?.data.map((one) => (
            <Delivery key={one.id} delivery={one} base={base} onReplay={sends ? again : undefined} />
          ))}
        </ul>
        {last > 1 && (
          <nav class="row spread" aria-label={t("developers.deliveries.pages")}>
            <Button icon="left" disabled={page <= 1} onClick={() => setPage(page - 1)}>
              {t("developers.deliveries.newer")}
            </Button>
            <span class="muted">{t("developers.deliveries.page", { n: page, of: last })}</span>
            <Button icon="right" disabled={page >= last} onClick={() => setPage(page + 1)}>
              {t("developers.deliveries.older")}
            </Button>
          </nav>
        )}
      </Card>
      <CodeSame method="GET" path={path} />
    </div>
  );
}

const BADGES = { pending: "running", delivered: "success", failed: "error" };

interface RowProps {
  delivery: WebhookDelivery;
  base: string;
  onReplay?: () => void;
}

function Delivery({ delivery, base, onReplay }: RowProps) {
  const { busy, problem, act } = useAct();
  const { id, event, state, attempts } = delivery;
  const last = attempts.at(-1);
  return (
    <li class="dev-row">
      <div class="grow">
        <p class="dev-name">
          <strong>{t(`developers.event.${event}`)}</strong>
          <span class={`badge ${BADGES[state]}`}>{t(`developers.deliveries.state.${state}`)}</span>
          {last !== undefined && <code>{last.status ?? last.error}</code>}
        </p>
        <p class="muted small">
          {t("developers.deliveries.number", { n: id })} · {when(delivery.createdAt)}
          {delivery.jobId !== null && ` · ${t("developers.deliveries.job", { n: delivery.jobId })}`}
          {delivery.nextAttemptAt !== null && attempts.length > 0 && ` · ${t("developers.deliveries.next", { time: when(delivery.nextAttemptAt) })}`}
        </p>
        <details class="more">
          <summary>{t("developers.deliveries.tries", { n: attempts.length })}</summary>
          <div class="stack">
            <p class="small">
              <code>webhook-id: {delivery.messageId}</code>
            </p>
            <ol class="dev-tries">
              {attempts.map((one) => (
                <li key={one.at}>
                  <p class="small">
                    {when(one.at)} · {t("developers.deliveries.took", { ms: Math.round(one.durationMs) })} · <strong>{one.status ?? one.error}</strong>
                  </p>
                  {one.status !== null && one.error !== null && <p class="small">{one.error}</p>}
                  {one.answer !== null && one.answer !== "" && (
                    <pre class="dev-code" tabIndex={0} role="region" aria-label={t("developers.deliveries.answer")}>
                      <code>{one.answer}</code>
                    </pre>
                  )}
                </li>
              ))}
            </ol>
          </div>
        </details>
        <Problem problem={problem} />
      </div>
      {onReplay !== undefined && state !== "pending" && (
        <div class="row">
          <Button
            size="s"
            icon="refresh"
            busy={busy}
            aria-label={t("developers.deliveries.replayOne", { n: id })}
            onClick={() =>
              void act(async () => {
                await send("POST", `${base}/deliveries/${id}/replay`);
                toast(t("developers.deliveries.replayed"), "success");
                onReplay();
              })
            }
          >
            {t("developers.deliveries.replay")}
          </Button>
        </div>
      )}
    </li>
  );
}
