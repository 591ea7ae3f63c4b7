import { pageOf, usePage } from "../../lib/pages";
import { useRef, useState } from "preact/hooks";
import { asProblem, send } from "../../lib/api";
import { when } from "../../lib/format";
import { t } from "../../lib/strings";
import type { Key, User } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card, EmptyState } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { Dialog } from "../../ui/Dialog";
import { TextInput } from "../../ui/Field";
import { Problem } from "../../ui/Problem";
import { KeyFields, makeKey, PLAIN } from "./key-fields";
import { limitsInWords } from "./limits";
import { found, Pager, Search, Table, type TabProps } from "./list";
import { NewKey } from "./secret";
import { UserPage } from "./user";

/** As many as the server gives at once, so that the search finds all but on the largest servers. */
const PER_PAGE = 1000;

/** The users, or one of them. */
export function Users(props: TabProps) {
  return props.id === "" ? <List {...props} /> : <UserPage key={props.id} id={props.id} />;
}

function List({ query }: TabProps) {
  const path = `/admin/users?perPage=${PER_PAGE}&page=${pageOf(query)}`;
  const { shown, problem, again } = usePage<User>(path);
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<Key | null>(null);
  const rows = shown?.data.filter((user) => found(query, user.name));
  return (
    <div class="stack ops-stack">
      <div class="row spread">
        <Search tab="users" query={query} label={t("operators.users.search")} />
        <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
          {t("operators.users.add")}
        </Button>
      </div>
      <Problem problem={problem} />
      {shown === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
      {rows?.length === 0 && <EmptyState icon="users" title={t("operators.users.none")} text={t("operators.users.noneText")} />}
      {rows !== undefined && rows.length > 0 && (
        <Card>
          <Table
            label={t("operators.tab.users")}
            rows={rows}
            keyOf={(user) => user.id}
            columns={[
              {
                label: t("operators.users.name"),
                cell: (user) => (
                  <a class="ops-name" href={`#/operators/users/${user.id}`}>
                    {user.name}
                  </a>
                ),
              },
              { label: t("operators.state"), cell: (user) => <UserBadge user={user} /> },
              { label: t("operators.users.limits"), cell: (user) => <span class="muted">{limitsInWords(user.limits)}</span> },
              { label: t("operators.users.since"), cell: (user) => when(user.createdAt) },
            ]}
          />
        </Card>
      )}
      <Pager tab="users" query={query} page={shown} />
      <CodeSame method="GET" path="/admin/users" />
      {adding && (
        <AddUser
          onClose={() => {
            setAdding(false);
            again();
          }}
          onMade={(key) => {
            setAdding(false);
            setMade(key);
            again();
          }}
        />
      )}
      {made !== null && <NewKey made={made} onClose={() => setMade(null)} />}
    </div>
  );
}

export function UserBadge({ user }: { user: User }) {
  return <span class={`badge ${user.enabled ? "success" : "error"}`}>{t(user.enabled ? "operators.users.enabled" : "operators.users.disabled")}</span>;
}

/** Makes a user with a first key. */
function AddUser({ onClose, onMade }: { onClose: () => void; onMade: (key: Key) => void }) {
  const [name, setName] = useState("");
  const [wanted, setWanted] = useState(PLAIN);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  // A user who was made without a key gets one when the form is sent again, rather than being refused as a second one.
  const waiting = useRef<string | null>(null);
  const make = async () => {
    setBusy(true);
    setProblem(null);
    try {
      if (waiting.current !== name) waiting.current = (await send<User>("POST", "/admin/users", { name })).name;
      onMade(await makeKey(waiting.current, wanted));
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      title={t("operators.users.add")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" icon="key" busy={busy} disabled={name.trim() === "" || wanted.scopes.length === 0} onClick={() => void make()}>
            {t("operators.users.make")}
          </Button>
        </>
      }
    >
      <p class="muted">{t("operators.users.addText")}</p>
      <TextInput
        label={t("operators.users.name")}
        help={t("operators.users.nameHelp")}
        value={name}
        maxLength={128}
        autoComplete="off"
        spellcheck={false}
        error={problem === null ? undefined : asProblem(problem).field("name")}
        onInput={setName}
      />
      <KeyFields value={wanted} onChange={setWanted} problem={problem} />
      <Problem problem={problem} />
      <CodeSame method="POST" path="/admin/keys" fields={{ user: name || "berta", scopes: wanted.scopes }} />
    </Dialog>
  );
}
