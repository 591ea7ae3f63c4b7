import { asProblem, send } from "../../lib/api";
import { t } from "../../lib/strings";
import type { Key } from "../../lib/types";
import { Select, TextInput, Toggle } from "../../ui/Field";

const SCOPES = ["read", "write", "admin"] as const;
/** How long keys may be chosen to live, in days; none is without end. */
const DAYS = ["", "7", "30", "90", "365"];

export interface Wanted {
  label: string;
  scopes: string[];
  days: string;
}

export const PLAIN: Wanted = { label: "", scopes: ["read", "write"], days: "" };

/** Makes a key, the only time that it is told. */
export function makeKey(user: string, { label, scopes, days }: Wanted): Promise<Key> {
  const body = { user, scopes, ...(label.trim() === "" ? {} : { label: label.trim() }), ...(days === "" ? {} : { expiresInDays: Number(days) }) };
  return send<Key>("POST", "/admin/keys", body);
}

/** What a new key is to be able to do. */
export function KeyFields({ value, onChange, problem }: { value: Wanted; onChange: (value: Wanted) => void; problem: unknown }) {
  const wrong = (field: string) => (problem === null ? undefined : asProblem(problem).field(field));
  return (
    <>
      <TextInput
        label={t("operators.keys.labelField")}
        help={t("operators.keys.labelHelp")}
        value={value.label}
        maxLength={128}
        autoComplete="off"
        error={wrong("label")}
        onInput={(label) => onChange({ ...value, label })}
      />
      <div role="group" aria-label={t("operators.keys.scopes")} class="stack ops-tight">
        {SCOPES.map((scope) => (
          <Toggle
            key={scope}
            label={t(`operators.scope.${scope}`)}
            help={t(`operators.scope.${scope}Help`)}
            value={value.scopes.includes(scope)}
            error={scope === "admin" ? wrong("scopes") : undefined}
            onChange={(on) => onChange({ ...value, scopes: SCOPES.filter((one) => (one === scope ? on : value.scopes.includes(one))) })}
          />
        ))}
      </div>
      <Select
        label={t("operators.keys.lives")}
        value={value.days}
        error={wrong("expiresInDays")}
        onChange={(days) => onChange({ ...value, days })}
        options={DAYS.map((days) => ({ value: days, label: days === "" ? t("operators.keys.noEnd") : t("operators.keys.days", { n: Number(days) }) }))}
      />
    </>
  );
}
