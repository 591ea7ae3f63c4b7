import { useRef, useState } from "preact/hooks";
import { asProblem, config, send, type Problem as Refusal } from "../../lib/api";
import { bytes } from "../../lib/format";
import { can } from "../../lib/session";
import { t } from "../../lib/strings";
import type { FieldError, ImportedModel } from "../../lib/types";
import { upload, type Sent } from "../../lib/upload";
import { Button } from "../../ui/Button";
import { Card, Progress } from "../../ui/Card";
import { CodeSame, type CodeField } from "../../ui/CodeSame";
import { Select, TextInput, Toggle } from "../../ui/Field";
import { FileDrop } from "../../ui/FileDrop";
import { Problem } from "../../ui/Problem";
import { withFiles, withoutFile, type FileField, type Files } from "./files";

const ACCEPT = ".pth,.pt,.onnx,.index,.vmp,.safetensors,.ckpt,.th,.bin,.yaml,.yml,.json,.zip,.png,.jpg,.jpeg,.webp,.wav,.mp3,.flac";
/** The texts about where a model comes from, by the fields of the form. */
const TEXTS = ["consent", "trainedOn", "license", "attribution", "sourceUrl"] as const;

type Question = Partial<FieldError> & { field: string; message: string };

/** What only the person knows: a 422 asks for it under the field that answers it. */
const isQuestion = (error: Question) => typeof error.args?.question === "string" && (error.field.startsWith("answers[") || error.field === "packageId");

const uploads = new WeakMap<File, string>();

/** Imports a model from files that are dropped. What the files do not say is asked for as a form. */
export function Import({ onImported }: { onImported: () => void }) {
  const [files, setFiles] = useState<Files>({});
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [questions, setQuestions] = useState<Question[]>([]);
  const [everybody, setEverybody] = useState(false);
  const [mayServe, setMayServe] = useState(false);
  const [sending, setSending] = useState<{ name: string; sent: Sent } | null>(null);
  const [stage, setStage] = useState<"form" | "busy" | "done">("form");
  const [problem, setProblem] = useState<Refusal | null>(null);
  const [done, setDone] = useState<ImportedModel | null>(null);
  const stop = useRef<AbortController | null>(null);

  // With a listener of their own, operators' requests are not served here.
  if (can("admin") && !mayServe) void config().then(({ surface }) => surface !== "clients" && setMayServe(true));

  const set = (name: string, value: string) => setTexts((before) => ({ ...before, [name]: value }));
  const list = Object.entries(files) as [FileField, File][];
  const path = everybody ? "/admin/models" : "/voice-models";
  const said = Object.entries(texts).filter(([, value]) => value.trim() !== "");
  const fields: CodeField[] = [...list.map(([name, file]) => ({ name, file: file.name })), ...said.map(([name, value]) => ({ name, value }))];

  const begin = (more: Files) => {
    setFiles(more);
    setQuestions([]);
    setProblem(null);
  };

  const run = async () => {
    const abort = new AbortController();
    stop.current = abort;
    setStage("busy");
    setProblem(null);
    try {
      const form = new FormData();
      for (const [name, value] of said) form.append(name, value.trim());
      for (const [name, file] of list) {
        const known = uploads.get(file);
        const place = known ?? (await upload(file, (sent) => setSending({ name: file.name, sent }), abort.signal));
        uploads.set(file, place);
        // The models of a bag are known by what they are called.
        form.append(name, new File([place], file.name));
      }
      setSending(null);
      setDone(await send<ImportedModel>("POST", path, form, { signal: abort.signal }));
      setStage("done");
      onImported();
    } catch (error) {
      if (!abort.signal.aborted) {
        const refused = asProblem(error);
        for (const [name, file] of list) if (refused.field(name) !== undefined) uploads.delete(file);
        setQuestions(refused.errors.filter(isQuestion));
        setProblem(refused);
      }
      setStage("form");
    }
    setSending(null);
    stop.current = null;
  };

  if (stage === "done" && done !== null) {
    const name = "title" in done ? done.title : done.name;
    return (
      <Card title={t("voices.done", { name })}>
        <h3>{t("voices.found")}</h3>
        <ul class="found">
          {done.found.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <div class="row">
          {"title" in done && (
            <a class="button primary size-m" href={`#/convert?voice=${done.id}`}>
              {t("voices.useNow")}
            </a>
          )}
          <Button
            icon="plus"
            onClick={() => {
              begin({});
              setTexts({});
              setDone(null);
              setStage("form");
            }}
          >
            {t("voices.another")}
          </Button>
        </div>
      </Card>
    );
  }
  const busy = stage === "busy";
  const onlyQuestions = problem !== null && questions.length > 0 && questions.length === problem.errors.length;
  return (
    <Card title={t("voices.import")} text={t("voices.importText")}>
      <FileDrop page multiple compact={list.length > 0} accept={ACCEPT} onFiles={(more) => begin(withFiles(files, more))} label={t("voices.drop")} hint={t("voices.hint")} />
      {list.length > 0 && (
        <ul class="import-files">
          {list.map(([field, file]) => (
            <li key={field}>
              <span class="badge">{t(`voices.role.${field}`)}</span>
              <strong class="grow">{file.name}</strong>
              <span class="muted small number">{bytes(file.size)}</span>
              <Button kind="quiet" size="s" icon="close" disabled={busy} aria-label={t("voices.take", { name: file.name })} onClick={() => begin(withoutFile(files, field))} />
              {problem?.field(field) !== undefined && <p class="field-error">{problem.field(field)}</p>}
            </li>
          ))}
        </ul>
      )}
      {questions.length > 0 && (
        <section class="stack" aria-label={t("voices.questions")}>
          <h3>{t("voices.questions")}</h3>
          <p class="muted small">{t("voices.questionsText")}</p>
          {questions.map((question) => (
            <Answer key={question.field} question={question} value={texts[question.field] ?? ""} onChange={(value) => set(question.field, value)} />
          ))}
        </section>
      )}
      {list.length > 0 && (
        <>
          <div class="import-texts">
            <TextInput label={t("voices.titleField")} value={texts.title ?? ""} maxLength={200} error={problem?.field("title")} onInput={(value) => set("title", value)} />
            <TextInput label={t("voices.tags")} help={t("voices.tagsHelp")} value={texts.tags ?? ""} error={problem?.field("tags")} onInput={(value) => set("tags", value)} />
          </div>
          <details class="more" open={TEXTS.some((name) => problem?.field(name) !== undefined)}>
            <summary>{t("voices.terms")}</summary>
            <div class="import-texts">
              {TEXTS.map((name) => (
                <TextInput
                  key={name}
                  label={t(`voices.${name}`)}
                  help={name === "consent" ? t("voices.consentHelp") : undefined}
                  value={texts[name] ?? ""}
                  error={problem?.field(name)}
                  onInput={(value) => set(name, value)}
                />
              ))}
            </div>
          </details>
          {mayServe && <Toggle label={t("voices.everybody")} help={t("voices.everybodyHelp")} value={everybody} onChange={setEverybody} />}
        </>
      )}
      {sending !== null && (
        <Progress
          value={sending.sent.total === 0 ? null : sending.sent.sent / sending.sent.total}
          text={t("voices.uploading", {
            name: sending.name,
            sent: bytes(sending.sent.sent),
            total: bytes(sending.sent.total),
            speed: bytes(sending.sent.bytesPerSecond),
          })}
        />
      )}
      {busy && sending === null && <Progress text={t("voices.looking")} />}
      <div class="row">
        {busy ? (
          <Button icon="close" onClick={() => stop.current?.abort()}>
            {t("voices.stop")}
          </Button>
        ) : (
          <Button kind="primary" icon="upload" disabled={files.modelFile === undefined} onClick={() => void run()}>
            {t("voices.begin")}
          </Button>
        )}
      </div>
      {!onlyQuestions && <Problem problem={problem} />}
      <CodeSame method="POST" path={path} fields={fields.length > 0 ? fields : [{ name: "modelFile", file: "anna.pth" }, { name: "indexFile", file: "anna.index" }, { name: "title", value: "Anna" }]} />
    </Card>
  );
}

function Answer({ question, value, onChange }: { question: Question; value: string; onChange: (value: string) => void }) {
  const allowed = Array.isArray(question.args?.allowed) ? question.args.allowed.map(String) : [];
  const wrong = question.rule === "required" ? undefined : question.message;
  const help = question.rule === "required" ? question.message : undefined;
  const label = String(question.args?.question ?? question.field);
  if (allowed.length === 0) return <TextInput label={label} help={help} error={wrong} value={value} onInput={onChange} />;
  return (
    <Select
      label={label}
      help={help}
      error={wrong}
      value={value}
      onChange={onChange}
      options={[{ value: "", label: t("voices.choose") }, ...allowed.map((one) => ({ value: one, label: one }))]}
    />
  );
}
