import { useEffect, useState } from "preact/hooks";
import type { LiveRecord } from "../../../../clients/live/src/messages";
import { asProblem, get, send } from "../../lib/api";
import { duration, when } from "../../lib/format";
import { go } from "../../lib/router";
import { maybe, t } from "../../lib/strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { toast } from "../../ui/toast";
import { Fact } from "./desk";
import { last, takes } from "./run";

const ms = (value: number) => t("live.ms", { n: Math.round(value) });
const reason = (record: LiveRecord) => maybe(`live.reasons.${record.endReason}`) ?? String(record.endReason ?? "–");

const SIDES = [
  { side: "input", name: "inputFileUrl" },
  { side: "output", name: "outputFileUrl" },
] as const;

/** What the server kept of one, to listen to, and to convert again. */
function Kept({ record }: { record: LiveRecord }) {
  const [busy, setBusy] = useState(false);
  const kept = SIDES.map(({ side, name }) => ({ side, url: record[name] })).filter(({ url }) => url !== null);
  if (kept.length === 0) return null;
  const render = () => {
    setBusy(true);
    send<{ id: number }>("POST", `/live-conversions/${record.id}/render`, {}).then(
      (job) => go(`/convert/${job.id}`),
      (error) => {
        setBusy(false);
        toast(asProblem(error).detail, "error");
      },
    );
  };
  return (
    <>
      <ul class="live-takes">
        {kept.map(({ side, url }) => (
          <li key={side} class="row">
            <strong>{t(`live.${side}`)}</strong>
            <audio controls preload="metadata" src={url ?? ""} aria-label={t(`live.${side}`)} />
            <a class="button plain size-s" href={url ?? ""} download aria-label={t(`live.downloads.${side}`, { id: record.id })}>
              {t(`live.files.${side}`)}
            </a>
          </li>
        ))}
      </ul>
      {record.inputFileUrl !== null && (
        <div class="stack tight">
          <div>
            <Button icon="convert" busy={busy} onClick={render}>
              {t("live.render")}
            </Button>
          </div>
          <p class="muted small">{t("live.renderHelp")}</p>
        </div>
      )}
    </>
  );
}

/** The one that has ended last. */
export function Ended() {
  const record = last.value;
  if (record === null) return null;
  return (
    <Card title={t("live.ended", { id: record.id })} text={reason(record)}>
      <dl class="live-facts">
        <Fact name={t("convert.voice.title")} value={record.model.title} />
        <Fact name={t("live.length")} value={duration(record.seconds)} />
        <Fact name={t("live.lateBlocks")} value={String(record.lateBlocks)} />
        <Fact name={t("live.droppedMs")} value={ms(record.droppedMs)} />
        <Fact name={t("live.starvedMs")} value={ms(record.starvedMs)} />
        {record.inputLevelRms !== null && record.inputLevelRms > 0 && (
          <Fact name={t("live.level")} value={`${Math.round(20 * Math.log10(record.inputLevelRms))} dBFS`} help={t("live.levelKept")} />
        )}
      </dl>
      <Kept record={record} />
    </Card>
  );
}

/** What was recorded here, to listen to and to keep. */
export function Takes() {
  if (takes.value.length === 0) return null;
  return (
    <Card title={t("live.recordings")}>
      <ul class="live-takes">
        {takes.value.map(({ url, name, seconds }, at) => (
          <li key={url} class="row">
            <strong>{t("live.recording", { n: at + 1 })}</strong>
            <span class="muted number">{duration(seconds)}</span>
            <audio controls src={url} aria-label={t("live.recording", { n: at + 1 })} />
            <a class="button plain size-s" href={url} download={name} aria-label={t("live.download", { n: at + 1 })}>
              WAV
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const SHOWN = 5;

/** The last few, whichever program had them made. */
export function Earlier() {
  const [list, setList] = useState<LiveRecord[]>([]);
  const read = () =>
    get<{ data: LiveRecord[] }>(`/live-conversions?order=desc&perPage=${SHOWN}`).then(
      ({ data }) => setList(data),
      (error) => asProblem(error).status !== 404 && toast(asProblem(error).detail, "error"),
    );
  useEffect(() => void read(), [last.value?.id]);
  const ended = list.filter(({ status }) => status === "ended");
  if (ended.length === 0) return null;
  const remove = (record: LiveRecord) => send("DELETE", `/live-conversions/${record.id}`).then(read, (error) => toast(asProblem(error).detail, "error"));
  return (
    <Card title={t("live.earlier")}>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t("live.earlier")}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t("live.when")}</th>
              <th scope="col">{t("convert.voice.title")}</th>
              <th scope="col">{t("live.length")}</th>
              <th scope="col">{t("live.droppedMs")}</th>
              <th scope="col">{t("live.end")}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {ended.map((record) => (
              <tr key={record.id}>
                <td>{when(record.createdAt)}</td>
                <td>{record.model.title}</td>
                <td class="number">{duration(record.seconds)}</td>
                <td class="number">{ms(record.droppedMs)}</td>
                <td>{reason(record)}</td>
                <td class="row">
                  {SIDES.map(
                    ({ side, name }) =>
                      record[name] !== null && (
                        <a key={side} class="button quiet size-s" href={record[name] ?? ""} download aria-label={t(`live.downloads.${side}`, { id: record.id })}>
                          {t(`live.files.${side}`)}
                        </a>
                      ),
                  )}
                  <Button kind="quiet" size="s" icon="trash" aria-label={t("live.remove", { id: record.id })} onClick={() => void remove(record)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
