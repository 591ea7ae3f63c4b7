import { useEffect, useState } from "preact/hooks";
import { asProblem, get, send, type Problem as Refusal } from "../../lib/api";
import { chainFields } from "../../lib/chain";
import { follow } from "../../lib/follow";
import { bytes, when } from "../../lib/format";
import { outputFields, USUAL, type Output } from "../../lib/output";
import { go } from "../../lib/router";
import { t, type Key } from "../../lib/strings";
import type { ChainEntry, Separation } from "../../lib/types";
import { upload, type Sent } from "../../lib/upload";
import { Button } from "../../ui/Button";
import { Card, Progress } from "../../ui/Card";
import { ChainEditor } from "../../ui/ChainEditor";
import { CodeSame } from "../../ui/CodeSame";
import { Toggle } from "../../ui/Field";
import { FileDrop } from "../../ui/FileDrop";
import { JobStatus, StatusBadge } from "../../ui/JobStatus";
import { Listen } from "../../ui/Listen";
import { OutputKnobs } from "../../ui/OutputKnobs";
import { Problem } from "../../ui/Problem";
import { Mixdesk } from "./mixdesk";
import "./stems.css";

/** What taking a recording apart is: which path of the API, and which stems it has. */
export interface Parting {
  path: "vocal-separations" | "stem-splits";
  screen: "separate" | "split";
  title: Key;
  text: Key;
  begin: Key;
  stems: string[];
}

const ACCEPT = ".wav,.mp3,.flac,.webm,audio/*";

export function Stems({ parting, id }: { parting: Parting; id?: string }) {
  const [file, setFile] = useState<File | null>(null);
  const [wanted, setWanted] = useState<string[]>(parting.stems);
  const [output, setOutput] = useState<Output>(USUAL);
  const [pre, setPre] = useState<ChainEntry[]>([]);
  const [post, setPost] = useState<ChainEntry[]>([]);
  const [sent, setSent] = useState<Sent | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Refusal | null>(null);

  const fields = [
    ...(wanted.length < parting.stems.length ? wanted.map((stem) => ({ name: "stems", value: stem })) : []),
    ...outputFields(output),
    ...chainFields({ pre, post }),
  ];
  const run = async () => {
    if (file === null) return;
    setBusy(true);
    setProblem(null);
    try {
      const form = new FormData();
      for (const { name, value } of fields) form.append(name, value);
      form.append("inputFile", await upload(file, setSent));
      const record = await send<Separation>("POST", `/${parting.path}`, form);
      setFile(null);
      go(`/${parting.screen}/${record.id}`);
    } catch (error) {
      setProblem(asProblem(error));
    }
    setSent(null);
    setBusy(false);
  };

  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t(parting.title)}</h1>
        <p>{t(parting.text)}</p>
      </header>
      {id !== undefined && <Job key={id} parting={parting} id={id} />}
      <Card title={t("stems.recording")}>
        {file === null ? (
          <FileDrop page accept={ACCEPT} onFiles={(files) => setFile(files[0])} label={t("stems.drop")} hint={t("stems.hint")} />
        ) : (
          <div class="row">
            <strong class="grow">{file.name}</strong>
            <span class="muted">{bytes(file.size)}</span>
            <Button size="s" kind="quiet" icon="close" aria-label={t("stems.other", { name: file.name })} onClick={() => setFile(null)} />
          </div>
        )}
        {problem?.field("inputFile") !== undefined && <p class="field-error">{problem.field("inputFile")}</p>}
        <fieldset class="stem-choice">
          <legend>{t("stems.which")}</legend>
          {parting.stems.map((stem) => (
            <Toggle
              key={stem}
              label={t(`stems.name.${stem}` as Key)}
              value={wanted.includes(stem)}
              onChange={(on) => setWanted(parting.stems.filter((one) => (one === stem ? on : wanted.includes(one))))}
            />
          ))}
        </fieldset>
        <OutputKnobs value={output} onChange={(change) => setOutput({ ...output, ...change })} problem={problem} />
        <details class="more" open={problem?.field("pre") !== undefined || problem?.field("post") !== undefined}>
          <summary>{t("stems.effects")}</summary>
          <div class="stem-effects">
            <section class="stack tight">
              <h3>{t("stems.pre")}</h3>
              <ChainEditor value={pre} onChange={setPre} label={t("stems.pre")} empty={t("stems.preEmpty")} />
              <Listen file={file} chain={pre} label={t("stems.pre")} />
              {problem?.field("pre") !== undefined && <p class="field-error">{problem.field("pre")}</p>}
            </section>
            <section class="stack tight">
              <h3>{t("stems.post")}</h3>
              <ChainEditor value={post} onChange={setPost} label={t("stems.post")} empty={t("stems.postEmpty")} />
              {problem?.field("post") !== undefined && <p class="field-error">{problem.field("post")}</p>}
            </section>
          </div>
        </details>
        {sent === null ? (
          <div>
            <Button kind="primary" size="l" icon={parting.screen} busy={busy} disabled={file === null || wanted.length === 0} onClick={() => void run()}>
              {t(parting.begin)}
            </Button>
          </div>
        ) : (
          <Progress
            value={sent.total === 0 ? null : sent.sent / sent.total}
            text={t("stems.uploading", { sent: bytes(sent.sent), total: bytes(sent.total), speed: bytes(sent.bytesPerSecond) })}
          />
        )}
        <Problem problem={problem} />
        <CodeSame method="POST" path={`/${parting.path}`} fields={[{ name: "inputFile", file: file?.name ?? "song.mp3" }, ...fields]} />
      </Card>
    </div>
  );
}

/** A job on its way, and the mixer of what came of it. */
function Job({ parting, id }: { parting: Parting; id: string }) {
  const [record, setRecord] = useState<Separation | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => follow<Separation>(parting.path, id, setRecord, setProblem), [id]);
  if (record === null) {
    return <Card title={t("stems.job", { id })}>{problem === null ? <p class="muted">{t("ui.loading")}</p> : <Problem problem={problem} />}</Card>;
  }
  const again = () => void get<Separation>(`/${parting.path}/${id}`).then(setRecord, setProblem);
  return (
    <Card title={t("stems.job", { id })} text={when(record.createdAt)} actions={<StatusBadge status={record.status} />}>
      <JobStatus kind={parting.path} record={record} onChange={again} onRetry={(job) => go(`/${parting.screen}/${job.id}`)} />
      {record.status === "success" && (record.filesExpired === true ? <p class="muted">{t("stems.expired")}</p> : <Mixdesk record={record} />)}
      <Problem problem={problem} />
    </Card>
  );
}
