import { useState } from "preact/hooks";
import { all, send } from "../../lib/api";
import { when } from "../../lib/format";
import { can, signOut } from "../../lib/session";
import { t } from "../../lib/strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Problem } from "../../ui/Problem";
import { toast } from "../../ui/toast";
import { Confirm } from "../../ui/Confirm";
import { useRead } from "../../lib/read";

/** A session as `/me/sessions` lists it. */
interface Listed {
  id: string;
  keyId: string;
  createdAt: string;
  expiresAt: string;
  lastUsedAt: string;
  address: string | null;
  userAgent: string | null;
  /** Whether it is the one of this page. */
  current: boolean;
}

const BROWSERS: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const SYSTEMS: [RegExp, string][] = [
  [/\b(iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** A browser as people call it. */
export function browser(userAgent: string | null): string {
  if (userAgent === null || userAgent === "") return t("developers.sessions.unknown");
  const found = [BROWSERS, SYSTEMS].map((names) => names.find(([pattern]) => pattern.test(userAgent))?.[1]);
  const named = found.filter((one) => one !== undefined);
  return named.length === 0 ? userAgent : named.join(", ");
}

/** Where one is signed in to the console. */
export function Sessions() {
  const { value: sessions, problem, again } = useRead((signal) => all<Listed>("/me/sessions?order=desc", 1000, signal));
  const [leaving, setLeaving] = useState<Listed[] | null>(null);
  const others = sessions?.filter((one) => !one.current) ?? [];
  return (
    <Card
      title={t("developers.sessions.title")}
      text={t("developers.sessions.text")}
      actions={
        others.length > 1 && can("write") ? (
          <Button icon="out" onClick={() => setLeaving(others)}>
            {t("developers.sessions.endOthers")}
          </Button>
        ) : undefined
      }
    >
      <Problem problem={problem} />
      {sessions === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
      <ul class="dev-list">
        {sessions?.map((one) => (
          <li key={one.id} class="dev-row">
            <div class="grow">
              <p class="dev-name">
                <strong title={one.userAgent ?? undefined}>{browser(one.userAgent)}</strong>
                {one.current && <span class="badge running">{t("developers.sessions.current")}</span>}
              </p>
              <p class="muted small">
                {t("developers.sessions.opened", { time: when(one.createdAt), address: one.address ?? t("developers.sessions.unknown"), key: one.keyId })}
              </p>
              <p class="muted small">{t("developers.sessions.used", { used: when(one.lastUsedAt), expires: when(one.expiresAt) })}</p>
            </div>
            {one.current ? (
              <Button size="s" icon="out" onClick={() => void signOut()}>
                {t("shell.signOut")}
              </Button>
            ) : (
              can("write") && (
                <Button
                  size="s"
                  kind="quiet"
                  icon="close"
                  aria-label={t("developers.sessions.endOne", { name: browser(one.userAgent), time: when(one.createdAt) })}
                  onClick={() => setLeaving([one])}
                >
                  {t("developers.sessions.end")}
                </Button>
              )
            )}
          </li>
        ))}
      </ul>
      {leaving !== null && (
        <Confirm
          title={t("developers.sessions.endTitle")}
          label={t("developers.sessions.end")}
          icon="out"
          onClose={() => setLeaving(null)}
          run={async () => {
            try {
              for (const { id } of leaving) await send("DELETE", `/me/sessions/${encodeURIComponent(id)}`);
              toast(t("developers.sessions.ended", { n: leaving.length }), "success");
            } finally {
              again();
            }
          }}
        >
          <p>{t("developers.sessions.endText", { n: leaving.length })}</p>
        </Confirm>
      )}
    </Card>
  );
}
