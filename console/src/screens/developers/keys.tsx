import { useState } from "preact/hooks";
import { all, config, get, send } from "../../lib/api";
import { parseDate, when } from "../../lib/format";
import { can, session } from "../../lib/session";
import { t } from "../../lib/strings";
import type { Key } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card, EmptyState } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { Toggle } from "../../ui/Field";
import { Problem } from "../../ui/Problem";
import { toast } from "../../ui/toast";
import { Confirm } from "../../ui/Confirm";
import { MakeKey, ReplaceKey } from "./key-forms";
import { useRead } from "../../lib/read";
import { Secret } from "../../ui/Secret";
import { Sessions } from "./sessions";

/** What `/me` says. */
interface Me {
  user: { id: number; name: string };
  key: Pick<Key, "id" | "label" | "scopes" | "createdAt" | "expiresAt" | "lastUsedAt">;
}

/** Keys and sessions of whoever is signed in. */
export function Keys() {
  const { value: served } = useRead(config);
  if (served === null) return <p class="muted">{t("ui.loading")}</p>;
  return (
    <div class="dev-stack">
      {/* Keys are made where operators are served, by keys that may do that. */}
      {can("admin") && served.surface === "whole" ? <OwnKeys /> : <ThisKey />}
      <Sessions />
      <CodeSame method="GET" path="/me" />
    </div>
  );
}

type State = "good" | "expired" | "revoked";

function stateOf(key: Key): State {
  if (key.revokedAt !== null) return "revoked";
  return key.expiresAt !== null && parseDate(key.expiresAt) <= new Date() ? "expired" : "good";
}

type Asked = { what: "make" } | { what: "replace" | "revoke"; key: Key };

function OwnKeys() {
  const user = session.value?.user ?? "";
  const { value: keys, problem, again } = useRead((signal) => all<Key>(`/admin/keys?user=${encodeURIComponent(user)}&order=desc`, 1000, signal), [user]);
  const [ended, setEnded] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [made, setMade] = useState<Key | null>(null);
  const shown = keys?.filter((key) => ended || stateOf(key) === "good") ?? [];
  const close = () => setAsked(null);
  const issued = (key: Key) => {
    close();
    setMade(key);
    again();
  };
  return (
    <Card
      title={t("developers.keys.title")}
      text={t("developers.keys.text")}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setAsked({ what: "make" })}>
          {t("developers.keys.make")}
        </Button>
      }
    >
      <Problem problem={problem} />
      {keys === null && problem === null && <p class="muted">{t("developers.keys.loading")}</p>}
      {keys !== null && shown.length === 0 && <EmptyState icon="key" title={t("developers.keys.none")} text={t("developers.keys.noneText")} />}
      <ul class="dev-list">
        {shown.map((key) => (
          <KeyRow key={key.id} record={key} onAsk={(what) => setAsked({ what, key })} />
        ))}
      </ul>
      {keys?.some((key) => stateOf(key) !== "good") === true && (
        <Toggle label={t("developers.keys.showEnded")} value={ended} onChange={setEnded} />
      )}
      {asked?.what === "make" && <MakeKey user={user} onMade={issued} onClose={close} />}
      {asked?.what === "replace" && <ReplaceKey record={asked.key} onMade={issued} onClose={close} />}
      {asked?.what === "revoke" && (
        <Confirm
          title={t("developers.keys.revokeTitle")}
          label={t("developers.keys.revoke")}
          onClose={close}
          run={async () => {
            await send("DELETE", `/admin/keys/${encodeURIComponent(asked.key.id)}`);
            toast(t("developers.keys.revoked", { id: asked.key.id }), "success");
            again();
          }}
        >
          <p>{t("developers.keys.revokeText", { name: nameOf(asked.key) })}</p>
          {asked.key.id === session.value?.keyId && <p class="note warning">{t("developers.keys.revokeOwn")}</p>}
        </Confirm>
      )}
      {made?.key !== undefined && (
        <Secret
          title={t("developers.keys.madeTitle")}
          text={t("developers.keys.madeText")}
          label={t("developers.keys.secret")}
          value={made.key}
          onClose={() => setMade(null)}
        />
      )}
    </Card>
  );
}

/** What a key is called: its label, or its public part. */
function nameOf(key: Pick<Key, "id" | "label">): string {
  return key.label === "" ? key.id : key.label;
}

function KeyRow({ record, onAsk }: { record: Key; onAsk: (what: "replace" | "revoke") => void }) {
  const state = stateOf(record);
  return (
    <li class="dev-row">
      <div class="grow">
        <p class="dev-name">
          <strong>{record.label === "" ? t("developers.keys.unnamed") : record.label}</strong> <code>{record.id}.…</code>
          {state !== "good" && <span class="badge">{t(`developers.keys.state.${state}`)}</span>}
          {record.id === session.value?.keyId && <span class="badge running">{t("developers.keys.current")}</span>}
        </p>
        <p class="muted small">{t("developers.keys.may", { scopes: record.scopes.map((one) => t(`developers.scope.${one}`)).join(", ") })}</p>
        <Times created={record.createdAt} used={record.lastUsedAt} expires={record.expiresAt} />
      </div>
      {state === "good" && (
        <div class="row">
          <Button size="s" icon="refresh" aria-label={t("developers.keys.replaceOne", { name: nameOf(record) })} onClick={() => onAsk("replace")}>
            {t("developers.keys.replace")}
          </Button>
          <Button size="s" kind="quiet" icon="trash" aria-label={t("developers.keys.revokeOne", { name: nameOf(record) })} onClick={() => onAsk("revoke")}>
            {t("developers.keys.revoke")}
          </Button>
        </div>
      )}
    </li>
  );
}

function Times({ created, used, expires }: { created: string; used: string | null; expires: string | null }) {
  const words = [
    t("developers.keys.createdAt", { time: when(created) }),
    used === null ? t("developers.keys.unused") : t("developers.keys.usedAt", { time: when(used) }),
    expires === null ? t("developers.keys.endless") : t("developers.keys.expiresAt", { time: when(expires) }),
  ];
  return <p class="muted small">{words.join(" · ")}</p>;
}

/** The key that was signed in with, where one may see no other, and how to come by more. */
function ThisKey() {
  const { value: me, problem } = useRead((signal) => get<Me>("/me", { signal }));
  const command = `vocalhost keys create --user ${me?.user.name ?? "anna"} --label laptop`;
  return (
    <Card title={t("developers.keys.thisTitle")} text={t("developers.keys.thisText")}>
      <Problem problem={problem} />
      {me === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
      {me !== null && (
        <ul class="dev-list">
          <li class="dev-row">
            <div class="grow">
              <p class="dev-name">
                <strong>{me.key.label === "" ? t("developers.keys.unnamed") : me.key.label}</strong> <code>{me.key.id}.…</code>
                <span class="badge running">{t("developers.keys.current")}</span>
              </p>
              <p class="muted small">{t("developers.keys.may", { scopes: me.key.scopes.map((one) => t(`developers.scope.${one}`)).join(", ") })}</p>
              <Times created={me.key.createdAt} used={me.key.lastUsedAt} expires={me.key.expiresAt} />
            </div>
          </li>
        </ul>
      )}
      <div class="stack">
        <p>{t("developers.keys.askForMore")}</p>
        <pre class="dev-code" tabIndex={0} role="region" aria-label={t("developers.keys.command")}>
          <code>{command}</code>
        </pre>
      </div>
    </Card>
  );
}
