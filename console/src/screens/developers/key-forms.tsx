import { useState } from "preact/hooks";
import { asProblem, send } from "../../lib/api";
import { t } from "../../lib/strings";
import type { Key } from "../../lib/types";
import { Button } from "../../ui/Button";
import { CodeSame } from "../../ui/CodeSame";
import { Dialog } from "../../ui/Dialog";
import { Select, TextInput, Toggle } from "../../ui/Field";
import { Problem } from "../../ui/Problem";
import { Confirm } from "../../ui/Confirm";
import { useAct } from "../../lib/read";

const SCOPES = ["read", "write", "admin"] as const;
type Scope = (typeof SCOPES)[number];

const LIVES = ["", "7", "30", "90", "365", "other"] as const;
/** How long a key that is replaced may work on, in seconds. */
const GRACES = ["0", "3600", "86400", "604800"] as const;
const MAX_LABEL_CHARS = 128;
const MAX_DAYS = 36_500;

interface MakeProps {
  user: string;
  onMade: (key: Key) => void;
  onClose: () => void;
}

/** What a new key may do, what it is called, and how long it lives. */
export function MakeKey({ user, onMade, onClose }: MakeProps) {
  const [label, setLabel] = useState("");
  const [scopes, setScopes] = useState<Scope[]>(["read", "write"]);
  const [life, setLife] = useState<string>("90");
  const [days, setDays] = useState("14");
  const { busy, problem, act } = useAct();
  const refused = problem === null ? null : asProblem(problem);
  const chosen = life === "other" ? days : life;
  const body = {
    user,
    ...(label === "" ? {} : { label }),
    scopes,
    ...(chosen === "" ? {} : { expiresInDays: Number(chosen) }),
  };
  const make = () =>
    void act(async () => {
      onMade(await send<Key>("POST", "/admin/keys", body));
    });
  return (
    <Dialog
      open
      title={t("developers.keys.makeTitle")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" icon="key" busy={busy} disabled={scopes.length === 0} onClick={make}>
            {t("developers.keys.make")}
          </Button>
        </>
      }
    >
      <TextInput
        label={t("developers.keys.label")}
        help={t("developers.keys.labelHelp")}
        error={refused?.field("label")}
        value={label}
        onInput={setLabel}
        maxLength={MAX_LABEL_CHARS}
        autofocus
        autoComplete="off"
        onKeyDown={(event) => event.key === "Enter" && scopes.length > 0 && make()}
      />
      <fieldset class="dev-choice">
        <legend>{t("developers.keys.scopes")}</legend>
        {SCOPES.map((scope) => (
          <Toggle
            key={scope}
            label={t(`developers.scope.${scope}`)}
            help={t(`developers.scopeHelp.${scope}`)}
            value={scopes.includes(scope)}
            onChange={(on) => setScopes(SCOPES.filter((one) => (one === scope ? on : scopes.includes(one))))}
          />
        ))}
        {scopes.length === 0 && <p class="field-error">{t("developers.keys.noScope")}</p>}
        {refused?.field("scopes") !== undefined && <p class="field-error">{refused.field("scopes")}</p>}
      </fieldset>
      <Select
        label={t("developers.keys.life")}
        error={life === "other" ? undefined : refused?.field("expiresInDays")}
        value={life}
        onChange={setLife}
        options={LIVES.map((one) => ({
          value: one,
          label: one === "" ? t("developers.keys.never") : one === "other" ? t("developers.keys.otherLife") : t("developers.keys.days", { n: Number(one) }),
        }))}
      />
      {life === "other" && (
        <TextInput
          label={t("developers.keys.dayCount")}
          error={refused?.field("expiresInDays")}
          type="number"
          min={1}
          max={MAX_DAYS}
          step={1}
          value={days}
          onInput={setDays}
        />
      )}
      <Problem problem={problem} />
      <CodeSame method="POST" path="/admin/keys" fields={body} />
    </Dialog>
  );
}

interface ReplaceProps {
  record: Key;
  onMade: (key: Key) => void;
  onClose: () => void;
}

/** A new key in the place of an old one, which may work on for a while. */
export function ReplaceKey({ record, onMade, onClose }: ReplaceProps) {
  const [grace, setGrace] = useState<string>("86400");
  return (
    <Confirm
      title={t("developers.keys.replaceTitle")}
      label={t("developers.keys.replace")}
      icon="refresh"
      kind="primary"
      onClose={onClose}
      run={async () => {
        const path = `/admin/keys/${encodeURIComponent(record.id)}/rotate`;
        onMade(await send<Key>("POST", path, { graceSeconds: Number(grace) }));
      }}
    >
      <p>{t("developers.keys.replaceText", { name: record.label === "" ? record.id : record.label })}</p>
      <Select
        label={t("developers.keys.grace")}
        value={grace}
        onChange={setGrace}
        options={GRACES.map((one) => ({ value: one, label: t(`developers.keys.graces.${one}`) }))}
      />
    </Confirm>
  );
}
