import { useEffect, useState } from "preact/hooks";
import { address, get, here, send } from "../../lib/api";
import { follow } from "../../lib/follow";
import { db, duration as clock, lufs, when } from "../../lib/format";
import { kept } from "../../lib/kept";
import { Comparison, type Version } from "../../lib/player";
import { go } from "../../lib/router";
import { decode, peaks, type Columns } from "../../lib/sound";
import { t } from "../../lib/strings";
import type { Peaks, VoiceConversion } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Dialog } from "../../ui/Dialog";
import { Toggle } from "../../ui/Field";
import { Icon } from "../../ui/Icon";
import { JobStatus, StatusBadge } from "../../ui/JobStatus";
import { Problem } from "../../ui/Problem";
import { stopDemo } from "../../ui/VoiceCard";
import { Waveform } from "../../ui/Waveform";

const COLUMNS = 1600;
/** The sounds of a job, as its record names them. */
type Sound = "input" | "output" | "recombined";

interface Shape {
  peaks: Columns;
  duration: number;
}

/** A conversion: on its way, and what came of it. */
export function Result({ id, onRecord }: { id: string; onRecord: (record: VoiceConversion) => void }) {
  const [record, setRecord] = useState<VoiceConversion | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [removing, setRemoving] = useState(false);

  useEffect(() => {
    setRecord(null);
    setProblem(null);
    return follow<VoiceConversion>(
      "voice-conversions",
      id,
      (now) => {
        setRecord(now);
        onRecord(now);
      },
      setProblem,
    );
  }, [id]);

  // The tab says how far it is, while something else is looked at.
  useEffect(() => {
    if (record?.status !== "running") return;
    const before = document.title;
    document.title = `${Math.round(record.progress)} % · ${before}`;
    return () => {
      document.title = before;
    };
  }, [record?.status, record?.progress]);

  const remove = async () => {
    try {
      await send("DELETE", `/voice-conversions/${id}`);
      go("/convert");
    } catch (error) {
      setRemoving(false);
      setProblem(error);
    }
  };

  if (record === null) {
    return (
      <Card title={t("convert.result.job", { id })}>
        {problem === null ? <p class="muted">{t("convert.result.loading")}</p> : <Problem problem={problem} />}
        {problem !== null && (
          <div>
            <a class="button size-m" href="#/convert">
              {t("convert.result.new")}
            </a>
          </div>
        )}
      </Card>
    );
  }
  return (
    <Card
      class="result"
      title={
        <>
          {record.model.title} <StatusBadge status={record.status} />
        </>
      }
      text={`${t("convert.result.job", { id })} · ${when(record.createdAt)}${record.pitchShift === 0 ? "" : ` · ${record.pitchShift > 0 ? "+" : ""}${record.pitchShift} st`}`}
      actions={
        record.status !== "running" && (
          <>
            <Button kind="quiet" icon="trash" aria-label={t("convert.result.delete")} onClick={() => setRemoving(true)} />
            <a class="button size-m" href="#/convert">
              {t("convert.result.close")}
            </a>
          </>
        )
      }
    >
      <JobStatus
        kind="voice-conversions"
        record={record}
        onChange={(now) => {
          setRecord(now as VoiceConversion);
          onRecord(now as VoiceConversion);
        }}
        onRetry={(again) => go(`/convert/${again.id}`)}
      />
      {record.status === "success" &&
        (record.filesExpired === true ? <p class="muted">{t("convert.result.expired")}</p> : <Sounds key={record.id} record={record} />)}
      <Problem problem={problem} />
      <Dialog
        open={removing}
        title={t("convert.result.delete")}
        onClose={() => setRemoving(false)}
        actions={
          <>
            <Button onClick={() => setRemoving(false)}>{t("ui.cancel")}</Button>
            <Button kind="danger" icon="trash" onClick={() => void remove()}>
              {t("convert.result.deleteNow")}
            </Button>
          </>
        }
      >
        <p>{t("convert.result.deleteText")}</p>
      </Dialog>
    </Card>
  );
}

/** Source and result beside each other, in step. */
function Sounds({ record }: { record: VoiceConversion }) {
  const [player] = useState(() => new Comparison());
  const [shapes, setShapes] = useState<Partial<Record<Sound, Shape>>>({});
  const [buffers, setBuffers] = useState<Partial<Record<Sound, AudioBuffer>>>({});
  const [view, setView] = useState<"wave" | "spectrogram">("wave");
  const [lost, setLost] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const names: Sound[] = ["input", "output", ...(record.recombinedAudioFileUrl === null ? [] : (["recombined"] as const))];

  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const hear = async (name: Sound, from: Blob | string) => {
      const buffer = await decode(from, signal);
      if (signal.aborted) return;
      setBuffers((now) => ({ ...now, [name]: buffer }));
      setShapes((now) => ({ ...now, [name]: { peaks: peaks(buffer, COLUMNS), duration: buffer.duration } }));
    };
    const look = async (name: Sound) => {
      const found = await get<Peaks>(`/voice-conversions/${record.id}/peaks?file=${name}&points=${COLUMNS}`, { signal });
      const min = new Float32Array(found.points);
      const max = new Float32Array(found.points);
      for (const channel of found.channels) {
        channel.min.forEach((value, i) => (min[i] = Math.min(min[i], value)));
        channel.max.forEach((value, i) => (max[i] = Math.max(max[i], value)));
      }
      if (!signal.aborted) setShapes((now) => ({ ...now, [name]: { peaks: { min, max }, duration: found.frames / found.sampleRate } }));
    };
    const source = async () => {
      const before = await kept(`voice-conversions/${record.id}`);
      try {
        if (before !== null) return await hear("input", before.file);
      } catch {
        // The browser does not read what the server read.
      }
      if (signal.aborted) return;
      setLost(true);
      await look("input");
    };
    const result = async (name: "output" | "recombined", url: string | null, lossy: string | null) => {
      if (url === null) return;
      try {
        await hear(name, here(url));
      } catch (error) {
        // A browser that does not read the format reads the MP3.
        if (signal.aborted || lossy === null) throw error;
        await hear(name, here(lossy));
      }
    };
    const told = (error: unknown) => !signal.aborted && setProblem(error);
    source().catch(() => undefined);
    result("output", record.outputFileUrl, record.lossyOutputFileUrl).catch(told);
    result("recombined", record.recombinedAudioFileUrl, null).catch(told);
    return () => {
      stop.abort();
      player.pause();
    };
  }, []);

  useEffect(() => {
    const versions: Version[] = names.flatMap((name) => {
      const buffer = buffers[name];
      return buffer === undefined ? [] : [{ name, buffer, loudness: record.loudness?.[name]?.integratedLufs ?? null }];
    });
    const first = player.heard.value === "";
    // A song is compared with the song that came of it, a voice with the voice.
    const main: Sound = record.isolateVocals ? "recombined" : "output";
    player.set(versions);
    if (first) player.hear(buffers[main] === undefined ? "" : main);
  }, [buffers]);

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
      if (target.matches("input:not([type=range], [type=radio], [type=checkbox]), textarea, select")) return;
      if (event.key === "x" || event.key === "X") player.next();
      else if (event.key === " " && !target.matches("button, a, input, summary, [role=tab]")) {
        event.preventDefault();
        stopDemo();
        player.toggle();
      }
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);

  const ready = Object.keys(buffers).length > 0;
  const longest = Math.max(0, ...Object.values(shapes).map((shape) => shape.duration));
  return (
    <div class="stack">
      <div class="transport">
        <Button
          kind="primary"
          size="l"
          icon={player.playing.value ? "pause" : "play"}
          disabled={!ready}
          aria-label={t(player.playing.value ? "convert.pause" : "convert.play")}
          onClick={() => {
            stopDemo();
            player.toggle();
          }}
        />
        <span class="number transport-clock">
          {clock(player.position.value)} <span class="muted">/ {clock(longest)}</span>
        </span>
        <Button icon="refresh" disabled={Object.keys(buffers).length < 2} onClick={() => player.next()} aria-keyshortcuts="x">
          {t("convert.compare.swap")} <kbd>X</kbd>
        </Button>
        <Toggle label={t("convert.compare.match")} value={player.matched.value} onChange={(matched) => player.match(matched)} />
        <div class="chips" role="group" aria-label={t("convert.compare.view")}>
          {(["wave", "spectrogram"] as const).map((one) => (
            <button key={one} type="button" class="chip" aria-pressed={view === one} onClick={() => setView(one)}>
              {t(`convert.compare.${one}`)}
            </button>
          ))}
        </div>
      </div>
      <fieldset class="lanes">
        <legend class="sr-only">{t("convert.compare.heard")}</legend>
        {names.map((name) => {
          const shape = shapes[name];
          const heard = player.heard.value === name;
          const gain = player.gainOf(name);
          return (
            <div key={name} class={`lane${heard ? " heard" : ""}`}>
              <label class="lane-name">
                <input
                  type="radio"
                  name="heard"
                  checked={heard}
                  disabled={buffers[name] === undefined}
                  onChange={() => player.hear(name)}
                />
                <span>
                  <strong>{t(`convert.compare.${name}`)}</strong>
                  <span class="muted small number">
                    {lufs(record.loudness?.[name]?.integratedLufs)}
                    {Math.abs(gain) >= 0.05 && ` · ${db(gain)}`}
                  </span>
                </span>
              </label>
              <div class="lane-picture">
                {view === "spectrogram" && (
                  <Spectrogram
                    id={record.id}
                    name={name}
                    position={player.position.value}
                    duration={shape?.duration ?? 0}
                    onSeek={(at) => player.seek(at)}
                  />
                )}
                {view === "wave" && shape !== undefined && (
                  <Waveform
                    height={84}
                    peaks={shape.peaks}
                    duration={shape.duration}
                    position={Math.min(shape.duration, player.position.value)}
                    onSeek={(at) => player.seek(at)}
                    label={t("convert.compare.waveform", { name: t(`convert.compare.${name}`) })}
                  />
                )}
                {view === "wave" && shape === undefined && <p class="muted small">{t("convert.compare.loading")}</p>}
              </div>
            </div>
          );
        })}
      </fieldset>
      {lost && <p class="muted small">{t("convert.compare.lost")}</p>}
      <Problem problem={problem} />
      <Downloads record={record} />
    </div>
  );
}

function Spectrogram({
  id,
  name,
  position,
  duration,
  onSeek,
}: {
  id: number;
  name: Sound;
  position: number;
  duration: number;
  onSeek: (at: number) => void;
}) {
  const [state, setState] = useState<"drawing" | "drawn" | "undrawn">("drawing");
  return (
    <div
      class="spectrogram"
      onPointerDown={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        onSeek(((event.clientX - box.left) / box.width) * duration);
      }}
    >
      <img
        src={address(`/voice-conversions/${id}/spectrogram?file=${name}`)}
        alt={t("convert.compare.spectrogramOf", { name: t(`convert.compare.${name}`) })}
        draggable={false}
        hidden={state !== "drawn"}
        onLoad={() => setState("drawn")}
        onError={() => setState("undrawn")}
      />
      {state !== "drawn" && <p class="small">{t(`convert.compare.${state}`)}</p>}
      {duration > 0 && <span class="playhead" style={{ left: `${Math.min(100, (position / duration) * 100)}%` }} />}
    </div>
  );
}

const KINDS: Record<VoiceConversion["outputFormat"], string> = {
  wav16: "WAV",
  wav24: "WAV",
  wav32f: "WAV",
  flac: "FLAC",
  mp3: "MP3",
  opus: "Opus",
};

function Downloads({ record }: { record: VoiceConversion }) {
  const kind = KINDS[record.outputFormat];
  const stem = (instrument: "vocals" | "backing") => record.lossyStemFileUrls.find((one) => one.instrument === instrument)?.url ?? null;
  const sounds: { name: string; url: string | null; lossy: string | null }[] = [
    { name: t("convert.compare.output"), url: record.outputFileUrl, lossy: record.lossyOutputFileUrl },
    { name: t("convert.compare.recombined"), url: record.recombinedAudioFileUrl, lossy: null },
    { name: t("convert.download.vocal"), url: record.vocalAudioFileUrl, lossy: record.lossyVocalAudioFileUrl ?? stem("vocals") },
    { name: t("convert.download.backing"), url: record.backingAudioFileUrl, lossy: stem("backing") },
  ];
  return (
    <div class="stack tight">
      <ul class="downloads">
        {sounds.map(({ name, url, lossy }, at) =>
          url === null ? null : (
            <li key={name}>
              <span>{name}</span>
              <Download url={url} text={kind} label={t("convert.download.one", { name, kind })} best={at === 0} />
              {lossy !== null && kind !== "MP3" && (
                <Download url={lossy} text="MP3" label={t("convert.download.one", { name, kind: "MP3" })} />
              )}
            </li>
          ),
        )}
        {record.archiveUrl !== null && (
          <li>
            <span>{t("convert.download.all")}</span>
            <Download
              url={record.archiveUrl}
              text="ZIP"
              label={t("convert.download.one", { name: t("convert.download.all"), kind: "ZIP" })}
            />
          </li>
        )}
      </ul>
      <p class="muted small">{t("convert.download.other")}</p>
    </div>
  );
}

function Download({ url, text, label, best = false }: { url: string; text: string; label: string; best?: boolean }) {
  return (
    <a class={`button size-s ${best ? "primary" : ""}`} href={here(url)} download aria-label={label}>
      <Icon name="download" size={16} /> {text}
    </a>
  );
}
