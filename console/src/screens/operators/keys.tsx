import { pageOf, usePage } from "../../lib/pages";
import { Confirm } from "../../ui/Confirm";
import { useState } from "preact/hooks";
import { send } from "../../lib/api";
import { parseDate, when } from "../../lib/format";
import { session } from "../../lib/session";
import { t } from "../../lib/strings";
import type { Key } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card, EmptyState } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { Dialog } from "../../ui/Dialog";
import { Toggle } from "../../ui/Field";
import { Icon } from "../../ui/Icon";
import { Problem } from "../../ui/Problem";
import { toast } from "../../ui/toast";
import { KeyFields, makeKey, PLAIN } from "./key-fields";
import { filter, Pager, Table, type TabProps } from "./list";
import { NewKey } from "./secret";

const PER_PAGE = 200;

/** A key that goes on in the place of another: how long the old one works beside it, in seconds. */
const GRACE_S = 3600;

type State = "works" | "expired" | "revoked";

function stateOf(key: Key): State {
  const past = (time: string | null) => time !== null && parseDate(time).getTime() <= Date.now();
  if (past(key.revokedAt)) return "revoked";
  return past(key.expiresAt) ? "expired" : "works";
}

/** The keys of all users. */
export function Keys({ query }: TabProps) {
  return <KeyList query={query} />;
}

/** Keys: all of them with a search for a user's, or those of `user` with a button for another one. */
export function KeyList({ user, query = new URLSearchParams() }: { user?: string; query?: URLSearchParams }) {
  const wanted = user ?? query.get("user") ?? "";
  const asked = new URLSearchParams({ order: "desc", perPage: String(PER_PAGE), page: String(pageOf(query)) });
  if (wanted !== "") asked.set("user", wanted);
  const { shown, problem, again } = usePage<Key>(`/admin/keys?${asked}`);
  const [old, setOld] = useState(false);
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<Key | null>(null);
  const [leaving, setLeaving] = useState<Key | null>(null);
  const [turning, setTurning] = useState<Key | null>(null);
  const rows = shown?.data.filter((key) => old || stateOf(key) === "works");

  const table = rows !== undefined && rows.length > 0 && (
    <Table
      label={t("operators.tab.keys")}
      rows={rows}
      keyOf={(key) => key.id}
      columns={[
        { label: t("operators.keys.id"), cell: (key) => <code>{key.id}</code> },
        ...(user === undefined
          ? [
              {
                label: t("operators.keys.user"),
                cell: (key: Key) => (
                  <button type="button" class="ops-link" title={t("operators.onlyThese")} onClick={() => filter("keys", query, { user: key.user })}>
                    {key.user}
                  </button>
                ),
              },
            ]
          : []),
        { label: t("operators.keys.label"), cell: (key) => (key.label === "" ? <span class="muted">–</span> : <span class="ops-break">{key.label}</span>) },
        { label: t("operators.keys.scopes"), cell: (key) => key.scopes.map((scope) => t(`operators.scope.${scope}`)).join(", ") },
        { label: t("operators.keys.used"), cell: (key) => (key.lastUsedAt === null ? <span class="muted">{t("operators.keys.never")}</span> : when(key.lastUsedAt)) },
        { label: t("operators.state"), cell: (key) => <KeyState of={key} /> },
        {
          label: t("operators.actions"),
          quiet: true,
          cell: (key) =>
            stateOf(key) === "works" && (
              <span class="row ops-actions">
                <Button size="s" icon="refresh" aria-label={t("operators.keys.rotateOne", { id: key.id })} onClick={() => setTurning(key)}>
                  {t("operators.keys.rotate")}
                </Button>
                <Button size="s" kind="danger" icon="power" aria-label={t("operators.keys.revokeOne", { id: key.id })} onClick={() => setLeaving(key)}>
                  {t("operators.keys.revoke")}
                </Button>
              </span>
            ),
        },
      ]}
    />
  );

  return (
    <Card
      title={t("operators.tab.keys")}
      text={t("operators.keys.text")}
      actions={
        user !== undefined && (
          <Button icon="plus" onClick={() => setAdding(true)}>
            {t("operators.keys.add")}
          </Button>
        )
      }
    >
      <div class="row spread">
        <Toggle label={t("operators.keys.old")} value={old} onChange={setOld} />
        {user === undefined && wanted !== "" && (
          <Button size="s" icon="close" onClick={() => filter("keys", query, { user: "" })}>
            {t("operators.only", { name: wanted })}
          </Button>
        )}
      </div>
      <Problem problem={problem} />
      {shown === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
      {rows?.length === 0 && <EmptyState icon="key" title={t("operators.keys.none")} text={t("operators.keys.noneText")} />}
      {table}
      {user === undefined && <Pager tab="keys" query={query} page={shown} />}
      <CodeSame method="GET" path={`/admin/keys${wanted === "" ? "" : `?${new URLSearchParams({ user: wanted })}`}`} />
      {adding && user !== undefined && (
        <AddKey
          user={user}
          onClose={() => setAdding(false)}
          onMade={(key) => {
            setAdding(false);
            setMade(key);
            again();
          }}
        />
      )}
      {made !== null && <NewKey made={made} onClose={() => setMade(null)} />}
      {turning !== null && (
        <Rotate
          old={turning}
          onClose={() => setTurning(null)}
          onMade={(key) => {
            setTurning(null);
            setMade(key);
            again();
          }}
        />
      )}
      {leaving !== null && (
        <Confirm
          title={t("operators.keys.revokeTitle")}
          label={t("operators.keys.revoke")}
          onClose={() => setLeaving(null)}
          run={async () => {
            await send("DELETE", `/admin/keys/${encodeURIComponent(leaving.id)}`);
            toast(t("operators.keys.revoked", { id: leaving.id }), "success");
            again();
          }}
        >
          <p>{t("operators.keys.revokeText", { id: leaving.id, user: leaving.user })}</p>
          <Own of={leaving} />
        </Confirm>
      )}
    </Card>
  );
}

/** A word to who is about to shut out themselves. */
function Own({ of }: { of: Key }) {
  if (session.value?.keyId !== of.id) return null;
  return (
    <p class="note warning">
      <Icon name="warning" size={18} /> <span>{t("operators.keys.own")}</span>
    </p>
  );
}

function KeyState({ of }: { of: Key }) {
  const state = stateOf(of);
  const ends = [of.revokedAt, of.expiresAt].filter((one) => one !== null).sort()[0];
  return (
    <span class="ops-lines">
      <span class={`badge ${state === "works" ? "success" : ""}`}>{t(`operators.keys.state.${state}`)}</span>
      {ends !== undefined && <span class="muted small">{t(state === "works" ? "operators.keys.until" : "operators.keys.since", { when: when(ends) })}</span>}
    </span>
  );
}

interface MakeProps {
  onClose: () => void;
  onMade: (key: Key) => void;
}

/** A dialog that makes a key. */
function useMaking(onMade: (key: Key) => void) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const make = async (asked: Promise<Key>) => {
    setBusy(true);
    setProblem(null);
    try {
      onMade(await asked);
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return { busy, problem, make };
}

function AddKey({ user, onClose, onMade }: MakeProps & { user: string }) {
  const [wanted, setWanted] = useState(PLAIN);
  const { busy, problem, make } = useMaking(onMade);
  return (
    <Dialog
      open
      title={t("operators.keys.addFor", { user })}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" icon="key" busy={busy} disabled={wanted.scopes.length === 0} onClick={() => void make(makeKey(user, wanted))}>
            {t("operators.keys.make")}
          </Button>
        </>
      }
    >
      <KeyFields value={wanted} onChange={setWanted} problem={problem} />
      <Problem problem={problem} />
    </Dialog>
  );
}

function Rotate({ old, onClose, onMade }: MakeProps & { old: Key }) {
  const [grace, setGrace] = useState(true);
  const { busy, problem, make } = useMaking(onMade);
  const path = `/admin/keys/${encodeURIComponent(old.id)}/rotate`;
  return (
    <Dialog
      open
      title={t("operators.keys.rotateTitle")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" icon="key" busy={busy} onClick={() => void make(send<Key>("POST", path, { graceSeconds: grace ? GRACE_S : 0 }))}>
            {t("operators.keys.make")}
          </Button>
        </>
      }
    >
      <p>{t("operators.keys.rotateText", { id: old.id, user: old.user })}</p>
      <Toggle label={t("operators.keys.grace")} help={t("operators.keys.graceHelp")} value={grace} onChange={setGrace} />
      {!grace && <Own of={old} />}
      <Problem problem={problem} />
    </Dialog>
  );
}
