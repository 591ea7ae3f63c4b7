import { useEffect, useState } from "preact/hooks";
import { bytes, duration } from "../../lib/format";
import { Comparison } from "../../lib/player";
import { decode, peaks, wav, type Columns } from "../../lib/sound";
import { t } from "../../lib/strings";
import { Button } from "../../ui/Button";
import { FileDrop } from "../../ui/FileDrop";
import { Recorder } from "../../ui/Recorder";
import { Tabs } from "../../ui/Tabs";
import { toast } from "../../ui/toast";
import { stopDemo } from "../../ui/VoiceCard";
import { Waveform } from "../../ui/Waveform";

const ACCEPT = ".wav,.mp3,.flac,audio/*";
const DIRECT = /\.(wav|wave|mp3|flac)$/i;

/** A file that the server takes: what it does not read is decoded here and sent as WAV. */
async function readable(file: File): Promise<File> {
  if (DIRECT.test(file.name)) return file;
  const buffer = await decode(file);
  const channels = Array.from({ length: Math.min(2, buffer.numberOfChannels) }, (_, i) => buffer.getChannelData(i));
  toast(t("convert.source.decoded", { name: file.name }));
  return new File([wav(channels, buffer.sampleRate, true)], `${file.name.replace(/\.\w+$/, "")}.wav`, { type: "audio/wav" });
}

/** Takes a file that was dropped or picked; says so where it is no sound. */
function takeFile(file: File, onFile: (file: File) => void): void {
  readable(file).then(onFile, () => toast(t("convert.source.unreadable", { name: file.name }), "error"));
}

/** The recording: dropped, picked or recorded, and heard. */
export function SourcePicker({ file, onFile, error }: { file: File | null; onFile: (file: File | null) => void; error?: string }) {
  const [way, setWay] = useState<"file" | "record">("file");
  const take = (files: File[]) => takeFile(files[0], onFile);
  const taken = file !== null;
  useEffect(() => {
    // Where there is a recording, one that is dropped anywhere takes its place.
    if (!taken) return;
    const files = (event: DragEvent) => (event.dataTransfer?.types.includes("Files") === true ? event.dataTransfer.files : null);
    const over = (event: DragEvent) => files(event) !== null && event.preventDefault();
    const drop = (event: DragEvent) => {
      const dropped = files(event)?.[0];
      if (dropped === undefined || event.defaultPrevented) return;
      event.preventDefault();
      takeFile(dropped, onFile);
    };
    window.addEventListener("dragover", over);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", over);
      window.removeEventListener("drop", drop);
    };
  }, [taken]);
  if (file !== null) {
    return (
      <>
        <Take file={file} onClear={() => onFile(null)} />
        {error !== undefined && <p class="field-error">{error}</p>}
      </>
    );
  }
  return (
    <>
      <Tabs
        label={t("convert.source.way")}
        value={way}
        onChange={setWay}
        tabs={[
          { id: "file", label: t("convert.source.file") },
          { id: "record", label: t("convert.source.record") },
        ]}
      >
        <div class="source-way">
          {way === "file" ? (
            <FileDrop page accept={ACCEPT} onFiles={take} label={t("convert.source.drop")} hint={t("convert.source.hint")} />
          ) : (
            <Recorder onTake={onFile} />
          )}
        </div>
      </Tabs>
      {error !== undefined && <p class="field-error">{error}</p>}
    </>
  );
}

/** The backing that goes under the voice. */
export function BackingPicker({ file, onFile }: { file: File | null; onFile: (file: File | null) => void }) {
  if (file !== null) return <Take file={file} onClear={() => onFile(null)} />;
  const take = (files: File[]) => takeFile(files[0], onFile);
  return <FileDrop compact accept={ACCEPT} onFiles={take} label={t("convert.backing.drop")} hint={t("convert.source.hint")} />;
}

function Take({ file, onClear }: { file: File; onClear: () => void }) {
  const [player] = useState(() => new Comparison());
  const [shape, setShape] = useState<{ peaks: Columns; duration: number } | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let gone = false;
    setShape(null);
    setFailed(false);
    decode(file).then(
      (buffer) => {
        if (gone) return;
        player.set([{ name: "take", buffer, loudness: null }]);
        setShape({ peaks: peaks(buffer, 1200), duration: buffer.duration });
      },
      () => !gone && setFailed(true),
    );
    return () => {
      gone = true;
      player.pause();
    };
  }, [file]);
  return (
    <div class="take">
      <Button
        kind="primary"
        icon={player.playing.value ? "pause" : "play"}
        disabled={shape === null}
        aria-label={t(player.playing.value ? "convert.pause" : "convert.play")}
        onClick={() => {
          stopDemo();
          player.toggle();
        }}
      />
      <div class="grow">
        <div class="take-name">
          <strong>{file.name}</strong>
          <span class="muted small number">
            {shape !== null && `${duration(player.position.value)} / ${duration(shape.duration)} · `}
            {bytes(file.size)}
          </span>
        </div>
        {failed ? (
          <p class="muted small">{t("convert.source.notHeard")}</p>
        ) : (
          <Waveform
            height={56}
            peaks={shape?.peaks ?? null}
            duration={shape?.duration ?? 0}
            position={player.position.value}
            onSeek={(at) => player.seek(at)}
            label={t("convert.source.waveform", { name: file.name })}
          />
        )}
      </div>
      <Button kind="quiet" icon="close" aria-label={t("convert.source.remove", { name: file.name })} onClick={onClear} />
    </div>
  );
}
