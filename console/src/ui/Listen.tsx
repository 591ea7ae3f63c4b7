import { useEffect, useRef, useState } from "preact/hooks";
import { db } from "../lib/format";
import type { NotHere, Preview } from "../lib/live/preview";
import { decodeFile, peaks, wav, type Columns } from "../lib/sound";
import { t } from "../lib/strings";
import type { ChainEntry } from "../lib/types";
import { Button } from "./Button";
import { Toggle } from "./Field";
import { Tabs } from "./Tabs";
import { stopDemo } from "./VoiceCard";
import { Waveform } from "./Waveform";
import "./listen.css";

interface Props {
  file: File | null;
  chain: ChainEntry[];
  /** What the chain is called. */
  label: string;
}

/** The one that sounds. */
let sounding: Preview | null = null;

/** Lets a chain be heard on the recording while it is put together. */
export function Listen({ file, chain, label }: Props) {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [state, setState] = useState<"closed" | "loading" | "open" | "unreadable">("closed");
  const asked = useRef<File | null>(null);
  const isOn = chain.some((entry) => entry.bypass !== true);

  useEffect(() => {
    // Another recording: what is prepared is for the one before.
    asked.current = null;
    setState("closed");
    setPreview(null);
  }, [file]);
  useEffect(() => () => preview?.close(), [preview]);
  useEffect(() => preview?.change(chain), [preview, chain]);

  const open = async () => {
    if (file === null) return;
    setState("loading");
    asked.current = file;
    try {
      const [{ Preview }, recording] = await Promise.all([import("../lib/live/preview"), decodeFile(file)]);
      if (asked.current !== file) return;
      const made = new Preview(recording);
      made.change(chain);
      setPreview(made);
      setState("open");
      toggle(made);
    } catch {
      if (asked.current === file) setState("unreadable");
    }
  };

  if (file === null || (chain.length === 0 && state === "closed")) return null;
  if (state !== "open" || preview === null) {
    return (
      <div class="listen">
        <Button size="s" icon="play" busy={state === "loading"} disabled={!isOn || state === "loading"} onClick={() => void open()}>
          {t(state === "loading" ? "ui.live.loading" : "ui.live.start")}
        </Button>
        {state === "unreadable" && (
          <p class="field-error" role="alert">
            {t("ui.live.unreadable")}
          </p>
        )}
      </div>
    );
  }
  return <Desk preview={preview} chain={chain} name={file.name} label={label} onClose={() => setState("closed")} />;
}

function toggle(preview: Preview): void {
  stopDemo();
  if (sounding !== preview) sounding?.pause();
  sounding = preview;
  preview.toggle();
}

function Desk({ preview, chain, name, label, onClose }: { preview: Preview; chain: ChainEntry[]; name: string; label: string; onClose: () => void }) {
  const { recording } = preview;
  const [shape] = useState<Columns>(() => peaks(recording, 1200));
  const [saving, setSaving] = useState(false);
  const [refused, setRefused] = useState<NotHere | null>(null);
  useEffect(() => () => preview.pause(), [preview]);
  const problem = preview.problem.value ?? refused;
  const playing = preview.playing.value;

  const save = async () => {
    setSaving(true);
    setRefused(null);
    const { render } = await import("../lib/live/preview");
    try {
      const sound = await render(recording, chain);
      const channels = Array.from({ length: sound.numberOfChannels }, (_, i) => sound.getChannelData(i));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(wav(channels, sound.sampleRate, true));
      link.download = `${name.replace(/\.\w+$/, "")}-effects.wav`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } catch (error) {
      setRefused(error as NotHere);
    }
    setSaving(false);
  };

  return (
    <section class="listen open" aria-label={`${t("ui.live.title")}: ${label}`}>
      <p class="muted small">{t("ui.live.text")}</p>
      <div class="listen-row">
        <Button kind="primary" icon={playing ? "pause" : "play"} aria-label={t(playing ? "ui.live.pause" : "ui.live.play")} onClick={() => toggle(preview)} />
        <div class="grow">
          <Waveform
            height={48}
            peaks={shape}
            duration={recording.duration}
            position={preview.position.value}
            onSeek={(at) => preview.seek(at)}
            label={t("ui.live.waveform")}
          />
        </div>
        <Button kind="quiet" icon="close" aria-label={t("ui.live.close")} onClick={onClose} />
      </div>
      <div class="listen-row wrap">
        <Tabs
          label={t("ui.live.heard")}
          value={preview.wet.value ? "wet" : "dry"}
          onChange={(to) => preview.listen({ wet: to === "wet" })}
          tabs={[
            { id: "wet", label: t("ui.live.wet") },
            { id: "dry", label: t("ui.live.dry") },
          ]}
        />
        <Toggle label={t("ui.live.matched")} help={t("ui.live.matchedHelp")} value={preview.matched.value} onChange={(matched) => preview.listen({ matched })} />
        <span class="muted small number">{preview.matched.value && db(preview.gain.value)}</span>
        <Button size="s" icon="download" busy={saving} onClick={() => void save()}>
          {t(saving ? "ui.live.saving" : "ui.live.save")}
        </Button>
      </div>
      {preview.latency.value > 0 && <p class="muted small">{t("ui.live.latency", { ms: Math.round(preview.latency.value * 1000) })}</p>}
      {problem !== null && (
        <p class="field-error" role="alert">
          {t("ui.live.broken", { effect: problem.effect, reason: problem.reason })} {t("ui.live.jobAll")}
        </p>
      )}
    </section>
  );
}
