import { useEffect, useState } from "preact/hooks";
import { get } from "../../lib/api";
import { bytes } from "../../lib/format";
import { language, t } from "../../lib/strings";
import type { Package } from "../../lib/types";
import { Dialog } from "../../ui/Dialog";
import { Problem } from "../../ui/Problem";
import type { Voice } from "./models";

/** What was found in a voice: what its package says about itself, and why it cannot be used, if it cannot. */
export function ModelFacts({ voice, onClose }: { voice: Voice; onClose: () => void }) {
  const [full, setFull] = useState<Voice | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    const stop = new AbortController();
    get<Voice>(`/admin/models/${voice.id}`, { signal: stop.signal }).then(setFull, (error) => !stop.signal.aborted && setProblem(error));
    return () => stop.abort();
  }, [voice.id]);
  return (
    <Dialog open title={voice.title} onClose={onClose}>
      <Problem problem={problem} />
      {full === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
      {full?.unusableReason != null && <p class="note warning">{full.unusableReason}</p>}
      {full !== null && (full.package == null ? <p>{t("operators.models.noPackage")}</p> : <PackageFacts of={full.package} />)}
    </Dialog>
  );
}

/** What a package says about itself. */
export function PackageFacts({ of: one }: { of: Package }) {
  const { listens } = one;
  const facts: [string, string | null | undefined][] = [
    [t("operators.package.id"), one.packageId],
    [t("operators.package.version"), one.version],
    [t("operators.package.family"), one.family],
    [t("operators.package.rate"), t("operators.package.hertz", { n: one.sampleRate.toLocaleString(language.value) })],
    [t("operators.package.bytes"), bytes(one.bytes)],
    [t("operators.package.stems"), one.stems?.join(", ")],
    [t("operators.package.members"), one.members?.join(", ")],
    [t("operators.package.content"), listens?.content],
    [t("operators.package.f0"), listens?.f0],
    [t("operators.package.index"), listens?.indexRows == null ? null : t("operators.package.rows", { n: listens.indexRows })],
    [t("ui.voice.licence"), one.license],
    [t("ui.voice.attribution"), one.attribution],
    [t("ui.voice.trainedOn"), one.trainedOn],
    [t("ui.voice.consent"), one.consent],
    [t("operators.package.source"), one.sourceUrl],
    [t("operators.package.created"), one.created],
  ];
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value != null && value !== "")
        .map(([name, value]) => [<dt key={`${name}-name`}>{name}</dt>, <dd key={name} class="ops-break">{value}</dd>])}
    </dl>
  );
}
