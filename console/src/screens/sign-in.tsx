import { useState } from "preact/hooks";
import { Problem as ServerProblem } from "../lib/api";
import { signIn } from "../lib/session";
import { t } from "../lib/strings";
import type { Config } from "../lib/types";
import { Button } from "../ui/Button";
import { TextInput } from "../ui/Field";
import { Logo } from "../ui/Icon";
import { Problem } from "../ui/Problem";
import { LanguageSwitch, ThemeSwitch } from "../app";

/** Where a key is exchanged for a session. */
export default function SignIn({ config }: { config: Config }) {
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await signIn(key.trim());
      setKey("");
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  const wrong = problem instanceof ServerProblem && problem.status === 401;
  return (
    <main class="door">
      <div class="door-inner">
        <div class="brand">
          <Logo /> vocalhost
        </div>
        <header class="screen-head">
          <h1>{t("sign-in.title")}</h1>
          <p>{t("sign-in.text")}</p>
        </header>
        {config.firstStart && (
          <p class="door-note">
            {t("sign-in.firstStart")} <code>api key: …</code>
          </p>
        )}
        <form class="stack" onSubmit={(event) => void submit(event)}>
          <TextInput
            label={t("sign-in.key")}
            help={t("sign-in.keyHelp")}
            error={wrong ? t("sign-in.wrong") : undefined}
            type="password"
            name="key"
            autoComplete="off"
            spellcheck={false}
            required
            autofocus
            value={key}
            onInput={setKey}
          />
          {!wrong && <Problem problem={problem} />}
          <Button kind="primary" size="l" type="submit" busy={busy} disabled={key.trim() === ""}>
            {busy ? t("sign-in.busy") : t("sign-in.submit")}
          </Button>
        </form>
        <div class="row spread">
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
      </div>
    </main>
  );
}
