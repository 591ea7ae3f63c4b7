import { useState } from "preact/hooks";
import { asProblem, send } from "../../lib/api";
import { bytes } from "../../lib/format";
import { t } from "../../lib/strings";
import type { User } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { CodeSame } from "../../ui/CodeSame";
import { TextInput } from "../../ui/Field";
import { Problem } from "../../ui/Problem";
import { toast } from "../../ui/toast";

type Limits = User["limits"];
const FIELDS = ["maxRunning", "maxQueued", "storageQuotaBytes", "audioMinutesQuota"] as const;
/** Storage is written in gigabytes: nobody counts bytes. */
const GIGA = 1e9;

/** The limits of a user's own in a line. */
export function limitsInWords(limits: Limits): string {
  const said = FIELDS.flatMap((field) => {
    const value = limits[field];
    if (value === null) return [];
    const n = field === "storageQuotaBytes" ? bytes(value) : value;
    return value === 0 ? [t(`operators.limit.${field}.none`)] : [t(`operators.limit.${field}.short`, { n })];
  });
  return said.length === 0 ? t("operators.limit.settings") : said.join(" · ");
}

const written = (limits: Limits) =>
  Object.fromEntries(FIELDS.map((field) => [field, limits[field] === null ? "" : String(field === "storageQuotaBytes" ? (limits[field] ?? 0) / GIGA : limits[field])])) as Record<
    (typeof FIELDS)[number],
    string
  >;

/** Changes the limits of a user. An empty field is the server's setting again. */
export function LimitsCard({ user, onChange }: { user: User; onChange: (user: User) => void }) {
  const [texts, setTexts] = useState(() => written(user.limits));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  // What is no number goes as it is: the server says at the field what it should be.
  const number = (field: (typeof FIELDS)[number]) => {
    const text = texts[field].trim().replace(",", ".");
    if (text === "") return null;
    if (!Number.isFinite(Number(text))) return texts[field];
    return field === "storageQuotaBytes" ? Math.round(Number(text) * GIGA) : Number(text);
  };
  const before = written(user.limits);
  const changed = FIELDS.filter((field) => texts[field].trim() !== before[field]);
  const body = Object.fromEntries(changed.map((field) => [field, number(field)]));
  const save = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const after = await send<User>("PATCH", `/admin/users/${user.id}`, body);
      setTexts(written(after.limits));
      onChange(after);
      toast(t("operators.limit.saved", { name: user.name }), "success");
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  return (
    <Card title={t("operators.limit.title")} text={t("operators.limit.text")}>
      <div class="ops-fields">
        {FIELDS.map((field) => (
          <TextInput
            key={field}
            label={t(`operators.limit.${field}.label`)}
            help={t(`operators.limit.${field}.help`)}
            placeholder={t("operators.limit.setting")}
            autoComplete="off"
            value={texts[field]}
            error={problem === null ? undefined : asProblem(problem).field(field)}
            onInput={(text) => setTexts({ ...texts, [field]: text })}
          />
        ))}
      </div>
      <Problem problem={problem} />
      <div>
        <Button kind="primary" icon="check" busy={busy} disabled={changed.length === 0} onClick={() => void save()}>
          {t("ui.save")}
        </Button>
      </div>
      <CodeSame method="PATCH" path={`/admin/users/${user.id}`} fields={changed.length === 0 ? { maxRunning: 1 } : body} />
    </Card>
  );
}
