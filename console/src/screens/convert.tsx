import { useEffect, useRef, useState } from "preact/hooks";
import { asProblem, get, send, type Problem as Refusal } from "../lib/api";
import { bytes } from "../lib/format";
import { keep, kept } from "../lib/kept";
import { go } from "../lib/router";
import { t } from "../lib/strings";
import { isAccepted } from "../lib/terms";
import type { VoiceConversion, VoiceModel } from "../lib/types";
import { upload, type Sent } from "../lib/upload";
import { Button } from "../ui/Button";
import { Card, Progress } from "../ui/Card";
import { ChainEditor } from "../ui/ChainEditor";
import { CleanSteps } from "../ui/CleanSteps";
import { CodeSame } from "../ui/CodeSame";
import { Toggle } from "../ui/Field";
import { Listen } from "../ui/Listen";
import { OutputKnobs } from "../ui/OutputKnobs";
import { Problem } from "../ui/Problem";
import { TermsToAccept, VoiceCard, VoicePicker } from "../ui/VoiceCard";
import { Result } from "./convert/result";
import { EXPERT, ExpertKnobs, VoiceKnobs } from "./convert/settings";
import { BackingPicker, SourcePicker } from "./convert/source";
import { adopt, backing, example, fields, post, pre, set, settings, source, voice } from "./convert/state";
import type { ScreenProps } from "./index";
import "./convert.css";

/** The jobs whose settings were taken over once, or came from here. */
const adopted = new Set<number>();

/** What uploads were called by the server, so that the same recording is not sent twice. */
const uploads = new WeakMap<File, string>();

export default function Convert({ id, query }: ScreenProps) {
  const [problem, setProblem] = useState<Refusal | null>(null);
  const [sent, setSent] = useState<Sent | null>(null);
  const [terms, setTerms] = useState<VoiceModel | null>(null);
  const [suggested, setSuggested] = useState<number | null>(null);
  const [working, setWorking] = useState(false);
  const stop = useRef<AbortController | null>(null);
  const top = useRef<HTMLDivElement>(null);
  const [busy, setBusy] = useState(false);
  const isolate = settings.value.isolateVocals;

  // A link such as `#/convert?voice=3` chooses a voice: "use at once" of other screens.
  const wanted = query.get("voice");
  useEffect(() => {
    if (wanted === null) return;
    get<VoiceModel>(`/voice-models/${encodeURIComponent(wanted)}`).then(
      (found) => {
        voice.value = found;
        go("/convert", { replace: true });
      },
      (error) => setProblem(asProblem(error)),
    );
  }, [wanted]);

  useEffect(() => () => stop.current?.abort(), []);

  const ready = source.value !== null && voice.value !== null;

  const submit = () => {
    if (!ready || voice.value === null) return;
    if (isAccepted(voice.value.id)) void run();
    else setTerms(voice.value);
  };

  const run = async () => {
    const file = source.value;
    if (file === null) return;
    setTerms(null);
    setProblem(null);
    const abort = new AbortController();
    stop.current = abort;
    setBusy(true);
    try {
      const form = new FormData();
      for (const { name, value } of fields()) form.append(name, value);
      const place = async (name: string, one: File) => {
        const known = uploads.get(one);
        const text = known ?? (await upload(one, setSent, abort.signal));
        uploads.set(one, text);
        form.append(name, text);
      };
      await place("soundFile", file);
      if (backing.value !== null && !isolate) await place("backingSoundFile", backing.value);
      setSent(null);
      const record = await send<VoiceConversion>("POST", "/voice-conversions", form, { signal: abort.signal });
      await keep(`voice-conversions/${record.id}`, { file, pre: pre.value, post: post.value });
      adopted.add(record.id);
      go(`/convert/${record.id}`);
      // The result stands at the top: that is where keyboards and screen readers go on.
      top.current?.focus({ preventScroll: true });
      top.current?.scrollIntoView({ block: "start", behavior: "smooth" });
    } catch (error) {
      if (!abort.signal.aborted) {
        const refused = asProblem(error);
        // An upload may have expired meanwhile: the next try sends the file again.
        if (refused.field("soundFile") !== undefined) uploads.delete(file);
        if (refused.field("backingSoundFile") !== undefined && backing.value !== null) uploads.delete(backing.value);
        setProblem(refused);
      }
    }
    stop.current = null;
    setBusy(false);
    setSent(null);
  };

  return (
    <div class="screen convert">
      <header class="screen-head" ref={top} tabIndex={-1}>
        <h1>{t("convert.title")}</h1>
        <p>{t("convert.text")}</p>
      </header>
      {id !== undefined && (
        <Result
          id={id}
          onRecord={(record) => {
            setSuggested(record.suggestedPitchShift);
            setWorking(record.status === "running");
            if (adopted.has(record.id)) return;
            adopted.add(record.id);
            void kept(`voice-conversions/${record.id}`).then((before) => adopt(record, before));
          }}
        />
      )}
      <div class="convert-grid">
        <div class="stack wide-gap">
          <Card title={t("convert.source.title")} text={t("convert.source.text")}>
            <SourcePicker
              file={source.value}
              error={problem?.field("soundFile")}
              onFile={(file) => {
                source.value = file;
                setSuggested(null);
              }}
            />
            <Toggle
              label={t("convert.knob.isolateVocals")}
              help={t("convert.knob.isolateVocalsHelp")}
              error={problem?.field("isolateVocals")}
              value={isolate}
              onChange={(isolateVocals) => set({ isolateVocals })}
            />
            <CleanSteps value={settings.value.clean} onChange={(clean) => set({ clean })} help={t("convert.knob.cleanHelp")} error={problem?.field("clean")} />
            {!isolate && (
              <details class="more" open={backing.value !== null}>
                <summary>{t("convert.backing.title")}</summary>
                <div class="stack tight">
                  <p class="field-help">{t("convert.backing.text")}</p>
                  <BackingPicker file={backing.value} onFile={(file) => (backing.value = file)} />
                  {problem?.field("backingSoundFile") !== undefined && <p class="field-error">{problem.field("backingSoundFile")}</p>}
                </div>
              </details>
            )}
          </Card>
          <Card title={t("convert.voice.title")} text={t("convert.voice.text")}>
            <VoicePicker
              value={voice.value?.id ?? null}
              onChange={(chosen) => {
                voice.value = chosen;
                setSuggested(null);
              }}
            />
            {problem?.field("voiceModelId") !== undefined && <p class="field-error">{problem.field("voiceModelId")}</p>}
          </Card>
          <Card title={t("convert.sound.title")} text={t("convert.sound.text")}>
            <VoiceKnobs problem={problem} suggested={suggested} />
          </Card>
          <Card title={t("convert.effects.title")} text={t("convert.effects.text")}>
            <div class="chains">
              <section class="stack tight">
                <h3>{t("convert.effects.pre")}</h3>
                <ChainEditor
                  value={pre.value}
                  onChange={(chain) => (pre.value = chain)}
                  label={t("convert.effects.pre")}
                  empty={t("convert.effects.preEmpty")}
                />
                <Listen file={source.value} chain={pre.value} label={t("convert.effects.pre")} />
                {problem?.field("pre") !== undefined && <p class="field-error">{problem.field("pre")}</p>}
              </section>
              <section class="stack tight">
                <h3>{t("convert.effects.post")}</h3>
                <ChainEditor
                  value={post.value}
                  onChange={(chain) => (post.value = chain)}
                  label={t("convert.effects.post")}
                  empty={t("convert.effects.postEmpty")}
                />
                <Listen file={source.value} chain={post.value} label={t("convert.effects.post")} />
                {problem?.field("post") !== undefined && <p class="field-error">{problem.field("post")}</p>}
              </section>
            </div>
          </Card>
          <Card title={t("convert.files.title")}>
            <OutputKnobs value={settings.value} onChange={set} problem={problem} />
            <details class="more" open={EXPERT.some((field) => problem?.field(field) !== undefined)}>
              <summary>{t("convert.expert")}</summary>
              <ExpertKnobs problem={problem} />
            </details>
          </Card>
        </div>
        <aside class="go" aria-label={t("convert.go.title")}>
          <div class="go-card">
            <dl class="go-facts">
              <div>
                <dt>{t("convert.source.title")}</dt>
                <dd>{source.value?.name ?? <span class="muted">{t("convert.go.noSource")}</span>}</dd>
              </div>
              <div>
                <dt>{t("convert.voice.title")}</dt>
                <dd>{voice.value === null ? <span class="muted">{t("convert.go.noVoice")}</span> : <VoiceCard voice={voice.value} />}</dd>
              </div>
            </dl>
            {sent !== null ? (
              <div class="stack tight">
                <Progress
                  value={sent.total === 0 ? null : sent.sent / sent.total}
                  text={t("convert.go.uploading", { sent: bytes(sent.sent), total: bytes(sent.total), speed: bytes(sent.bytesPerSecond) })}
                />
                <Button size="s" icon="close" onClick={() => stop.current?.abort()}>
                  {t("convert.go.stop")}
                </Button>
              </div>
            ) : (
              <Button kind="primary" size="l" icon="convert" busy={busy} disabled={!ready} onClick={submit}>
                {t(id !== undefined ? "convert.go.again" : "convert.go.start")}
              </Button>
            )}
            <p class="muted small" role="status">
              {ready ? (working ? t("convert.go.parallel") : t("convert.go.ready")) : t("convert.go.missing")}
            </p>
            <Problem problem={problem} />
            <CodeSame method="POST" path="/voice-conversions" fields={example()} />
          </div>
        </aside>
      </div>
      {terms !== null && (
        <TermsToAccept voice={terms} onClose={() => setTerms(null)} onAccept={() => void run()} />
      )}
    </div>
  );
}
