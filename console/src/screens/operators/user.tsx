import { Confirm } from "../../ui/Confirm";
import { useEffect, useState } from "preact/hooks";
import { get, send } from "../../lib/api";
import { bytes, when } from "../../lib/format";
import { go } from "../../lib/router";
import { t } from "../../lib/strings";
import type { User } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Icon } from "../../ui/Icon";
import { Problem } from "../../ui/Problem";
import { toast } from "../../ui/toast";
import { KeyList } from "./keys";
import { LimitsCard } from "./limits";
import { useAction } from "./list";
import { UserBadge } from "./users";

/** One user: what they use, what they may, their keys, and how they are shut out. */
export function UserPage({ id }: { id: string }) {
  const [user, setUser] = useState<User | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [leaving, setLeaving] = useState(false);
  const path = `/admin/users/${encodeURIComponent(id)}`;
  const read = () => {
    get<User>(path).then(setUser, setProblem);
  };
  useEffect(read, [path]);
  const action = useAction(read);
  const back = (
    <a class="ops-back" href="#/operators/users">
      <Icon name="left" size={16} /> {t("operators.users.all")}
    </a>
  );
  if (user === null) {
    return (
      <div class="stack ops-stack">
        {back}
        <Problem problem={problem} />
        {problem === null && <p class="muted">{t("ui.loading")}</p>}
      </div>
    );
  }
  const { name } = user;
  return (
    <div class="stack ops-stack">
      {back}
      <Card
        title={name}
        text={t("operators.users.made", { when: when(user.createdAt) })}
        actions={
          <>
            <UserBadge user={user} />
            <Button icon="power" busy={action.busy} onClick={() => action.run(() => send("PATCH", path, { enabled: !user.enabled }))}>
              {t(user.enabled ? "operators.disable" : "operators.enable")}
            </Button>
            <Button kind="danger" icon="trash" onClick={() => setLeaving(true)}>
              {t("operators.remove")}
            </Button>
          </>
        }
      >
        {!user.enabled && (
          <p class="note warning">
            <Icon name="info" size={18} /> <span>{t("operators.users.disabledText", { when: when(user.disabledAt) })}</span>
          </p>
        )}
        <Problem problem={action.problem ?? problem} />
        <Usage user={user} />
        <div class="row">
          <a class="button plain size-s" href={`#/operators/jobs?${new URLSearchParams({ user: name })}`}>
            <Icon name="jobs" size={16} /> {t("operators.users.jobs")}
          </a>
          <a class="button plain size-s" href={`#/operators/audit?${new URLSearchParams({ user: name })}`}>
            <Icon name="clock" size={16} /> {t("operators.users.audit")}
          </a>
        </div>
      </Card>
      <LimitsCard user={user} onChange={read} />
      <KeyList user={name} />
      {leaving && (
        <Confirm
          title={t("operators.users.removeTitle")}
          label={t("operators.remove")}
          onClose={() => setLeaving(false)}
          run={async () => {
            await send("DELETE", path);
            toast(t("operators.users.removed", { name }), "success");
            go("/operators/users");
          }}
        >
          <p>{t("operators.users.removeText", { name })}</p>
        </Confirm>
      )}
    </div>
  );
}

function Usage({ user: { usage } }: { user: User }) {
  if (usage === undefined) return null;
  const of = (used: string, most: string | null) => (most === null ? used : t("operators.usage.of", { used, most }));
  const { storage, audio, jobs } = usage;
  return (
    <dl class="ops-tiles">
      <div class="ops-tile">
        <dt>{t("operators.usage.running")}</dt>
        <dd class="number">{of(String(jobs.running), String(jobs.maxRunning))}</dd>
      </div>
      <div class="ops-tile">
        <dt>{t("operators.usage.queued")}</dt>
        <dd class="number">{of(String(jobs.queued), String(jobs.maxQueued))}</dd>
      </div>
      <div class="ops-tile">
        <dt>{t("operators.usage.storage")}</dt>
        <dd class="number">{of(bytes(storage.bytes), storage.quotaBytes === null ? null : bytes(storage.quotaBytes))}</dd>
      </div>
      <div class="ops-tile">
        <dt>{t("operators.usage.audio", { n: audio.days })}</dt>
        <dd class="number">{of(t("operators.usage.minutes", { n: Math.round(audio.minutes) }), audio.quotaMinutes === null ? null : t("operators.usage.minutes", { n: audio.quotaMinutes }))}</dd>
      </div>
    </dl>
  );
}
