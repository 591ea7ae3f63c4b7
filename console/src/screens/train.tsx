import { useEffect, useState } from "preact/hooks";
import { asProblem, get, send, type Problem as Refusal } from "../lib/api";
import { bytes } from "../lib/format";
import { go } from "../lib/router";
import { t, type Key } from "../lib/strings";
import type { ConsentStatement, VoiceTraining } from "../lib/types";
import { upload, type Sent } from "../lib/upload";
import { Button } from "../ui/Button";
import { Card, EmptyState, Progress } from "../ui/Card";
import { CleanSteps } from "../ui/CleanSteps";
import { CodeSame } from "../ui/CodeSame";
import { Select, TextInput, Toggle } from "../ui/Field";
import { FileDrop } from "../ui/FileDrop";
import { Problem } from "../ui/Problem";
import type { ScreenProps } from "./index";
import { Result } from "./train/result";
import { Spoken, type SpokenConsent } from "./train/spoken";
import "./train.css";

const ACCEPT = ".wav,.mp3,.flac,.webm,audio/*";
const MOST = 30;
const PRESETS = ["quick", "standard", "long"] as const;

export default function Train({ id }: ScreenProps) {
  const [told, setTold] = useState<ConsentStatement | null>(null);
  const [unread, setUnread] = useState<unknown>(null);
  useEffect(() => {
    get<ConsentStatement>("/voice-trainings/consent").then(setTold, setUnread);
  }, []);
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t("train.title")}</h1>
        <p>{t("train.text")}</p>
      </header>
      {id !== undefined && <Result key={id} id={id} />}
      {told?.allowed === false && (
        <Card>
          <EmptyState icon="train" title={t("train.offTitle")} text={t(told.training === "admins" ? "train.adminsOnly" : "train.off")} />
        </Card>
      )}
      {told?.allowed === true && <Form told={told} />}
      <Problem problem={unread} />
    </div>
  );
}

/** What a training is asked for. */
function Form({ told }: { told: ConsentStatement }) {
  const [files, setFiles] = useState<File[]>([]);
  const [title, setTitle] = useState("");
  const [preset, setPreset] = useState<string>("quick");
  const [isolate, setIsolate] = useState(false);
  const [clean, setClean] = useState("");
  const [keep, setKeep] = useState(false);
  const [by, setBy] = useState<string>(told.by[0]);
  const [name, setName] = useState("");
  const [agreed, setAgreed] = useState(false);
  const [spoken, setSpoken] = useState<SpokenConsent | null>(null);
  const [sent, setSent] = useState<(Sent & { n: number }) | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Refusal | null>(null);

  const consent = JSON.stringify({
    statement: told.statement,
    by,
    ...(name.trim() === "" ? {} : { name: name.trim() }),
    ...(spoken === null ? {} : { token: spoken.token }),
  });
  const fields = [
    { name: "title", value: title.trim() },
    { name: "preset", value: preset },
    ...(isolate ? [{ name: "isolateVocals", value: "true" }] : []),
    ...(clean === "" ? [] : [{ name: "clean", value: clean }]),
    { name: "consent", value: consent },
    ...(keep ? [{ name: "keepRecordings", value: "true" }] : []),
  ];
  const run = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const form = new FormData();
      for (const { name, value } of fields) form.append(name, value);
      for (const [n, file] of files.entries()) {
        const id = await upload(file, (sent) => setSent({ ...sent, n }));
        // As a file, so that its name goes along.
        form.append("soundFile", new Blob([id]), file.name);
      }
      if (spoken !== null) form.append("consentRecording", spoken.file, spoken.file.name);
      const record = await send<VoiceTraining>("POST", "/voice-trainings", form);
      setFiles([]);
      setAgreed(false);
      setSpoken(null);
      go(`/train/${record.id}`);
    } catch (error) {
      setProblem(asProblem(error));
    }
    setSent(null);
    setBusy(false);
  };

  const isReady = files.length > 0 && title.trim() !== "" && agreed && (spoken !== null || !told.spoken.required);
  const wrong = problem?.field("soundFile");
  return (
    <>
      <Card title={t("train.recordings")} text={t("train.recordingsText")}>
        <FileDrop
          page
          multiple
          accept={ACCEPT}
          compact={files.length > 0}
          onFiles={(more) => setFiles([...files, ...more].slice(0, MOST))}
          label={t("train.drop")}
          hint={t("train.hint")}
        />
        {files.length > 0 && (
          <ul class="train-files">
            {files.map((file, at) => (
              <li key={`${file.name}${at}`} class="row">
                <strong class="grow">{file.name}</strong>
                <span class="muted">{bytes(file.size)}</span>
                <Button
                  size="s"
                  kind="quiet"
                  icon="close"
                  aria-label={t("train.remove", { name: file.name })}
                  onClick={() => setFiles(files.filter((_, one) => one !== at))}
                />
              </li>
            ))}
          </ul>
        )}
        {wrong !== undefined && <p class="field-error">{wrong}</p>}
        <Toggle label={t("train.isolate")} help={t("train.isolateHelp")} value={isolate} onChange={setIsolate} />
        <CleanSteps value={clean} onChange={setClean} help={t("train.cleanHelp")} error={problem?.field("clean")} />
      </Card>
      <Card title={t("train.voice")}>
        <TextInput label={t("train.name")} error={problem?.field("title")} value={title} maxLength={200} onInput={setTitle} />
        <Select
          label={t("train.preset")}
          help={t("train.presetHelp")}
          value={preset}
          onChange={setPreset}
          options={PRESETS.map((one) => ({ value: one, label: t(`train.presets.${one}` as Key) }))}
        />
        <Toggle label={t("train.keep")} help={t("train.keepHelp")} value={keep} onChange={setKeep} />
      </Card>
      <Card title={t("train.consent")} text={t("train.consentText")}>
        <blockquote class="train-statement" lang="en">
          {told.statement}
        </blockquote>
        <Select
          label={t("train.by")}
          error={problem?.field("consent.by")}
          value={by}
          onChange={setBy}
          options={told.by.map((one) => ({ value: one, label: t(`train.bys.${one}` as Key) }))}
        />
        <TextInput label={t("train.whose")} help={t("train.whoseHelp")} error={problem?.field("consent.name")} value={name} maxLength={200} onInput={setName} />
        <Spoken
          required={told.spoken.required}
          accept={ACCEPT}
          value={spoken}
          onChange={setSpoken}
          errors={[problem?.field("consentRecording"), problem?.field("consent.token")]}
        />
        <Toggle label={t("train.agree")} value={agreed} onChange={setAgreed} />
        {told.training === "review" && <p class="muted small">{t("train.review")}</p>}
        {sent === null ? (
          <div>
            <Button kind="primary" size="l" icon="train" busy={busy} disabled={!isReady} onClick={() => void run()}>
              {t("train.begin")}
            </Button>
          </div>
        ) : (
          <Progress
            value={sent.total === 0 ? null : sent.sent / sent.total}
            text={t("train.uploading", { at: sent.n + 1, of: files.length, sent: bytes(sent.sent), total: bytes(sent.total) })}
          />
        )}
        {!isReady && <p class="muted small">{t("train.missing")}</p>}
        <Problem problem={problem} />
        <CodeSame
          method="POST"
          path="/voice-trainings"
          fields={[
            { name: "soundFile", file: files[0]?.name ?? "voice.wav" },
            ...fields,
            ...(spoken === null ? [] : [{ name: "consentRecording", file: spoken.file.name }]),
          ]}
        />
      </Card>
    </>
  );
}
