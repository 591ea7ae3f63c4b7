import { useState } from "preact/hooks";
import { all, send } from "../../lib/api";
import { when } from "../../lib/format";
import { can } from "../../lib/session";
import { t } from "../../lib/strings";
import type { Webhook } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card, EmptyState } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { Icon } from "../../ui/Icon";
import { Problem } from "../../ui/Problem";
import { toast } from "../../ui/toast";
import { Confirm } from "../../ui/Confirm";
import { useAct, useRead } from "../../lib/read";
import { Secret } from "../../ui/Secret";
import { CheckSignature } from "./signature";
import { WebhookForm } from "./webhook-form";

/** A webhook that was just made, or has a new secret. */
type WithSecret = Webhook & { secret: string };

type Asked = { what: "add" } | { what: "edit" | "rotate" | "delete"; webhook: Webhook };

/** What a webhook is called: what was noted of it, its address, or that it is the one for jobs. */
export function nameOf(webhook: Webhook): string {
  return webhook.description || webhook.url || t("developers.webhooks.forJobs");
}

/** The webhooks of whoever is signed in. */
export function Webhooks() {
  const { value: webhooks, problem, again } = useRead((signal) => all<Webhook>("/webhooks", 1000, signal));
  const [asked, setAsked] = useState<Asked | null>(null);
  const [made, setMade] = useState<WithSecret | null>(null);
  const writes = can("write");
  const close = () => setAsked(null);
  const saved = (webhook: Webhook) => {
    close();
    again();
    if ("secret" in webhook) setMade(webhook as WithSecret);
    else toast(t("developers.webhooks.saved"), "success");
  };
  const add = writes ? (
    <Button kind="primary" icon="plus" onClick={() => setAsked({ what: "add" })}>
      {t("developers.webhooks.add")}
    </Button>
  ) : undefined;
  return (
    <div class="dev-stack">
      <Card title={t("developers.webhooks.title")} text={t("developers.webhooks.text")} actions={webhooks?.length === 0 ? undefined : add}>
        <Problem problem={problem} />
        {webhooks === null && problem === null && <p class="muted">{t("developers.webhooks.loading")}</p>}
        {webhooks?.length === 0 && <EmptyState icon="webhook" title={t("developers.webhooks.none")} text={t("developers.webhooks.noneText")} action={add} />}
        <ul class="dev-list">
          {webhooks?.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} onChange={again} onAsk={(what) => setAsked({ what, webhook })} />
          ))}
        </ul>
      </Card>
      <CheckSignature />
      <CodeSame method="POST" path="/webhooks" fields={{ url: "https://hooks.example/vocalhost", events: ["job.success", "job.error"] }} />
      {asked?.what === "add" && <WebhookForm onSaved={saved} onClose={close} />}
      {asked?.what === "edit" && <WebhookForm webhook={asked.webhook} onSaved={saved} onClose={close} />}
      {asked?.what === "rotate" && (
        <Confirm
          title={t("developers.webhooks.rotateTitle")}
          label={t("developers.webhooks.rotate")}
          icon="key"
          kind="primary"
          onClose={close}
          run={async () => setMade(await send<WithSecret>("POST", `/webhooks/${asked.webhook.id}/rotate`))}
        >
          <p>{t("developers.webhooks.rotateText", { name: nameOf(asked.webhook) })}</p>
        </Confirm>
      )}
      {asked?.what === "delete" && (
        <Confirm
          title={t("developers.webhooks.removeTitle")}
          label={t("developers.webhooks.remove")}
          onClose={close}
          run={async () => {
            await send("DELETE", `/webhooks/${asked.webhook.id}`);
            toast(t("developers.webhooks.removed"), "success");
            again();
          }}
        >
          <p>{t("developers.webhooks.removeText", { name: nameOf(asked.webhook) })}</p>
        </Confirm>
      )}
      {made !== null && (
        <Secret
          title={t("developers.webhooks.secretTitle")}
          text={t("developers.webhooks.secretText")}
          label={t("developers.webhooks.secret")}
          value={made.secret}
          onClose={() => setMade(null)}
        />
      )}
    </div>
  );
}

/** Whether a webhook is on, paused, or given up by the server. */
export function WebhookBadge({ webhook }: { webhook: Webhook }) {
  const state = webhook.enabled ? "on" : webhook.disabledReason === null ? "paused" : "givenUp";
  return <span class={`badge ${{ on: "success", paused: "", givenUp: "error" }[state]}`}>{t(`developers.webhooks.state.${state}`)}</span>;
}

/** Which events a webhook is told, and since when it works. */
export function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const events = webhook.events.length === 0 ? t("developers.webhooks.allEvents") : webhook.events.map((one) => t(`developers.event.${one}`)).join(", ");
  const last = webhook.lastSuccessAt === null ? t("developers.webhooks.neverReached") : t("developers.webhooks.lastReached", { time: when(webhook.lastSuccessAt) });
  return (
    <>
      <p class="muted small">{`${events} · ${last}`}</p>
      {webhook.disabledReason !== null && (
        <p class="note warning">
          <Icon name="warning" size={18} /> <span>{webhook.disabledReason}</span>
        </p>
      )}
    </>
  );
}

interface RowProps {
  webhook: Webhook;
  onChange: () => void;
  onAsk: (what: "edit" | "rotate" | "delete") => void;
}

function WebhookRow({ webhook, onChange, onAsk }: RowProps) {
  const { busy, problem, act } = useAct();
  const name = nameOf(webhook);
  const change = (enabled: boolean) =>
    void act(async () => {
      await send("PATCH", `/webhooks/${webhook.id}`, { enabled });
      onChange();
    });
  return (
    <li class="dev-row tall">
      <div class="grow">
        <p class="dev-name">
          <strong>{name}</strong>
          <WebhookBadge webhook={webhook} />
        </p>
        {webhook.url !== null && webhook.description !== "" && <p class="small dev-url">{webhook.url}</p>}
        {webhook.forJobs && <p class="muted small">{t("developers.webhooks.forJobsHelp")}</p>}
        <WebhookFacts webhook={webhook} />
        <Problem problem={problem} />
      </div>
      <div class="row">
        <a class="button plain size-s" href={`#/developers/webhooks/${webhook.id}`}>
          <Icon name="jobs" size={16} /> {t("developers.webhooks.deliveries")}
          <span class="sr-only">{name}</span>
        </a>
        {can("write") && (
          <>
            <Button size="s" kind="quiet" icon="edit" aria-label={t("developers.webhooks.editOne", { name })} onClick={() => onAsk("edit")}>
              {t("developers.webhooks.edit")}
            </Button>
            <Button
              size="s"
              kind="quiet"
              icon={webhook.enabled ? "pause" : "play"}
              busy={busy}
              aria-label={t(webhook.enabled ? "developers.webhooks.pauseOne" : "developers.webhooks.resumeOne", { name })}
              onClick={() => change(!webhook.enabled)}
            >
              {t(webhook.enabled ? "developers.webhooks.pause" : "developers.webhooks.resume")}
            </Button>
            <Button size="s" kind="quiet" icon="key" aria-label={t("developers.webhooks.rotateOne", { name })} onClick={() => onAsk("rotate")}>
              {t("developers.webhooks.rotate")}
            </Button>
            <Button size="s" kind="quiet" icon="trash" aria-label={t("developers.webhooks.removeOne", { name })} onClick={() => onAsk("delete")}>
              {t("developers.webhooks.remove")}
            </Button>
          </>
        )}
      </div>
    </li>
  );
}
