import { useState } from "preact/hooks";
import { address, answer, ask, asProblem } from "../../lib/api";
import { t } from "../../lib/strings";
import type { InstalledEffect } from "../../lib/types";
import { Card, Progress } from "../../ui/Card";
import { TextInput } from "../../ui/Field";
import { FileDrop } from "../../ui/FileDrop";
import { Problem } from "../../ui/Problem";
import { toast } from "../../ui/toast";

/** Memory is written in mebibytes, as effects take it. */
const MIB = 1 << 20;

/** Installs an effect from its component, with limits of its own if it needs them. */
export function Install({ onInstalled }: { onInstalled: (effect: InstalledEffect) => void }) {
  const [busy, setBusy] = useState<string | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [memory, setMemory] = useState("");
  const [work, setWork] = useState("");

  const limits = new URLSearchParams();
  const number = (text: string) => Number(text.trim().replace(",", "."));
  // What is no number goes as it is: the server says at the field what it should be.
  if (memory.trim() !== "") limits.set("memoryBytes", Number.isFinite(number(memory)) ? String(Math.round(number(memory) * MIB)) : memory);
  if (work.trim() !== "") limits.set("workPerAudio", Number.isFinite(number(work)) ? String(number(work)) : work);
  const path = `/admin/effects${limits.size === 0 ? "" : `?${limits}`}`;

  const install = async (file: File) => {
    setBusy(file.name);
    setProblem(null);
    try {
      const response = await ask(address(path), { method: "POST", headers: { "Content-Type": "application/wasm" }, body: file });
      const effect = (await answer(response)) as InstalledEffect;
      const { name, version } = effect;
      toast(t(response.status === 201 ? "operators.install.done" : "operators.install.known", { name, version }), "success");
      onInstalled(effect);
    } catch (error) {
      setProblem(error);
    }
    setBusy(null);
  };
  const wrong = (field: string) => (problem === null ? undefined : asProblem(problem).field(field));

  return (
    <Card title={t("operators.install.title")} text={t("operators.install.text")}>
      {busy === null ? (
        <FileDrop page accept=".wasm,application/wasm" label={t("operators.install.drop")} hint={t("operators.install.hint")} onFiles={([file]) => void install(file)} />
      ) : (
        <Progress text={t("operators.install.looking", { name: busy })} />
      )}
      <Problem problem={problem} />
      <details class="more" open={wrong("memoryBytes") !== undefined || wrong("workPerAudio") !== undefined}>
        <summary>{t("operators.install.limits")}</summary>
        <div class="ops-fields">
          <TextInput
            label={t("operators.install.memory")}
            help={t("operators.install.memoryHelp")}
            placeholder={t("operators.limit.setting")}
            value={memory}
            error={wrong("memoryBytes")}
            onInput={setMemory}
          />
          <TextInput
            label={t("operators.install.work")}
            help={t("operators.install.workHelp")}
            placeholder={t("operators.limit.setting")}
            value={work}
            error={wrong("workPerAudio")}
            onInput={setWork}
          />
        </div>
      </details>
      <p class="muted small">
        {t("operators.install.check")} <code>vocalhost effect check FILE</code>
      </p>
    </Card>
  );
}
