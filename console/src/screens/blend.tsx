import { useEffect, useState } from "preact/hooks";
import { asProblem, send, type Problem as Refusal } from "../lib/api";
import { go } from "../lib/router";
import { equal, rounded, withShare } from "../lib/shares";
import { t } from "../lib/strings";
import type { VoiceBlend, VoiceModel } from "../lib/types";
import { Button } from "../ui/Button";
import { Card } from "../ui/Card";
import { CodeSame } from "../ui/CodeSame";
import { Dialog } from "../ui/Dialog";
import { TextInput } from "../ui/Field";
import { Problem } from "../ui/Problem";
import { Slider } from "../ui/Slider";
import { loadVoices, VoiceCard, VoicePicker, voices } from "../ui/VoiceCard";
import { Result } from "./blend/result";
import { Surface } from "./blend/surface";
import type { ScreenProps } from "./index";
import "./blend.css";

const MOST = 4;

export default function Blend({ id, query }: ScreenProps) {
  const [chosen, setChosen] = useState<VoiceModel[]>([]);
  const [shares, setShares] = useState<number[]>([]);
  const [title, setTitle] = useState("");
  const [adding, setAdding] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Refusal | null>(null);

  const choose = (list: VoiceModel[]) => {
    setChosen(list);
    setShares(list.length === 0 ? [] : equal(list.length));
    setProblem(null);
  };

  // A link such as `#/blend?voice=3` brings the first voice along.
  const wanted = query.get("voice");
  useEffect(() => {
    if (wanted === null) return;
    const find = async () => {
      const found = (voices.value ?? (await loadVoices())).find((voice) => String(voice.id) === wanted);
      if (found !== undefined) choose([found]);
      go("/blend", { replace: true });
    };
    find().catch((error) => setProblem(asProblem(error)));
  }, [wanted]);

  const body: Record<string, unknown> = {};
  chosen.forEach((voice, i) => (body[`modelId${i + 1}`] = voice.id));
  shares.slice(0, -1).forEach((share, i) => (body[i === 0 ? "alpha" : `alpha${i + 1}`] = share));
  if (title.trim() !== "") body.title = title.trim();

  const run = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const record = await send<VoiceBlend>("POST", "/voice-blender", body);
      go(`/blend/${record.id}`);
    } catch (error) {
      setProblem(asProblem(error));
    }
    setBusy(false);
  };

  const isReady = chosen.length >= 2;
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t("blend.title")}</h1>
        <p>{t("blend.text")}</p>
      </header>
      {id !== undefined && <Result key={id} id={id} />}
      <Card title={t("blend.voices")} text={t("blend.voicesText")}>
        <ol class="blend-voices">
          {chosen.map((voice, at) => (
            <li key={voice.id}>
              <VoiceCard voice={voice}>
                <Button
                  kind="quiet"
                  size="s"
                  icon="close"
                  aria-label={t("blend.remove", { name: voice.title })}
                  onClick={() => choose(chosen.filter((_, i) => i !== at))}
                />
              </VoiceCard>
              {isReady && (
                <Slider
                  label={t("blend.share")}
                  name={t("blend.shareOf", { name: voice.title })}
                  unit="%"
                  min={0}
                  max={100}
                  step={1}
                  value={Math.round(shares[at] * 100)}
                  onInput={(value) => setShares(withShare(shares, at, value / 100))}
                />
              )}
            </li>
          ))}
        </ol>
        {chosen.length < MOST && (
          <div>
            <Button icon="plus" kind={isReady ? undefined : "primary"} onClick={() => setAdding(true)}>
              {t(chosen.length === 0 ? "blend.first" : "blend.add")}
            </Button>
          </div>
        )}
        {isReady && (
          <>
            <Surface names={chosen.map((voice) => voice.title)} shares={shares} onChange={(next) => setShares(rounded(next))} />
            <p class="muted small">{t("blend.surfaceHelp")}</p>
          </>
        )}
      </Card>
      <Card title={t("blend.name")}>
        <TextInput
          label={t("blend.titleLabel")}
          help={t("blend.titleHelp")}
          error={problem?.field("title")}
          value={title}
          maxLength={200}
          placeholder={chosen.map((voice) => voice.title).join(" + ")}
          onInput={setTitle}
        />
        <div>
          <Button kind="primary" size="l" icon="blend" busy={busy} disabled={!isReady} onClick={() => void run()}>
            {t("blend.begin")}
          </Button>
        </div>
        {!isReady && <p class="muted small">{t("blend.missing")}</p>}
        <Problem problem={problem} />
        <CodeSame method="POST" path="/voice-blender" fields={isReady ? body : { modelId1: 1, modelId2: 2, alpha: 0.5 }} />
      </Card>
      <Dialog open={adding} title={t("blend.add")} onClose={() => setAdding(false)}>
        <VoicePicker
          value={null}
          label={t("blend.add")}
          filter={(voice) => voice.isUsable && !chosen.some((one) => one.id === voice.id)}
          onChange={(voice) => {
            choose([...chosen, voice]);
            setAdding(false);
          }}
        />
      </Dialog>
    </div>
  );
}
