import { useEffect, useState } from "preact/hooks";
import { here } from "../../lib/api";
import { duration as clock } from "../../lib/format";
import { mixdown, PLAIN, type Strip } from "../../lib/mix";
import type { Mixer } from "../../lib/mixer";
import { decodeExactly, peaks, wav, type Columns } from "../../lib/sound";
import { maybe, t } from "../../lib/strings";
import type { Separation } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Icon } from "../../ui/Icon";
import { Problem } from "../../ui/Problem";
import { Slider } from "../../ui/Slider";
import { Waveform } from "../../ui/Waveform";

const COLUMNS = 1200;

/** What of a whole is in several files: the backing of a split is its drums, bass and the rest once more. */
const PARTS_OF_BACKING = ["drums", "bass", "other"];

interface Stem {
  name: string;
  buffer: AudioBuffer;
  shape: Columns;
}

/** The stems of a job: heard together in step, each as loud as one likes, and what is heard as a file. */
export function Mixdesk({ record }: { record: Separation }) {
  const [desk, setDesk] = useState<{ stems: Stem[]; mixer: Mixer } | null>(null);
  const [strips, setStrips] = useState<Strip[]>([]);
  const [problem, setProblem] = useState<unknown>(null);
  const twice = record.stemFileUrls.some(({ instrument }) => PARTS_OF_BACKING.includes(instrument));
  const files = record.stemFileUrls.filter(({ instrument }) => instrument !== "backing" || !twice);

  useEffect(() => {
    const stop = new AbortController();
    const load = async (): Promise<Stem[]> =>
      Promise.all(
        files.map(async ({ instrument, url }) => {
          const lossy = record.lossyStemFileUrls.find((one) => one.instrument === instrument)?.url;
          let buffer: AudioBuffer;
          try {
            buffer = await decodeExactly(here(url), stop.signal);
          } catch (error) {
            // A browser that does not read the format reads the MP3.
            if (stop.signal.aborted || lossy === undefined) throw error;
            buffer = await decodeExactly(here(lossy), stop.signal);
          }
          return { name: instrument, buffer, shape: peaks(buffer, COLUMNS) };
        }),
      );
    let playing: Mixer | null = null;
    Promise.all([load(), import("../../lib/mixer")]).then(
      ([stems, { Mixer }]) => {
        if (stop.signal.aborted) return;
        const plain = stems.map(() => PLAIN);
        const mixer = new Mixer();
        playing = mixer;
        mixer.set(
          stems.map((stem) => stem.buffer),
          plain,
        );
        setStrips(plain);
        setDesk({ stems, mixer });
      },
      (error) => !stop.signal.aborted && setProblem(error),
    );
    return () => {
      stop.abort();
      playing?.pause();
    };
  }, [record.id]);

  const change = (at: number, changes: Partial<Strip>) => {
    const next = strips.map((strip, one) => (one === at ? { ...strip, ...changes } : strip));
    setStrips(next);
    desk?.mixer.change(next);
  };

  const save = () => {
    if (desk === null) return;
    const { stems } = desk;
    const channels = stems.map(({ buffer }) => Array.from({ length: buffer.numberOfChannels }, (_, i) => buffer.getChannelData(i)));
    const mix = wav(mixdown(channels, strips), stems[0]?.buffer.sampleRate ?? 44100, true);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(mix);
    link.download = `mix-${record.id}.wav`;
    link.click();
    URL.revokeObjectURL(link.href);
  };

  if (desk === null) return problem === null ? <p class="muted">{t("stems.loading")}</p> : <Problem problem={problem} />;
  const { stems, mixer } = desk;
  const region = mixer.loop.value;
  return (
    <div class="stack">
      <div class="row">
        <Button
          kind="primary"
          size="l"
          icon={mixer.playing.value ? "pause" : "play"}
          aria-label={t(mixer.playing.value ? "stems.pause" : "stems.play")}
          onClick={() => mixer.toggle()}
        />
        <span class="number">
          {clock(mixer.position.value)} <span class="muted">/ {clock(mixer.duration)}</span>
        </span>
        <Button
          icon="loop"
          aria-pressed={region !== null}
          onClick={() => mixer.repeat(region === null ? { from: mixer.position.value, to: Math.min(mixer.duration, mixer.position.value + 8) } : null)}
        >
          {region === null ? t("stems.loop") : t("stems.noLoop")}
        </Button>
        <Button icon="download" onClick={save}>
          {t("stems.save")}
        </Button>
        {record.archiveUrl !== null && (
          <a class="button plain size-m" href={here(record.archiveUrl)} download>
            <Icon name="download" size={19} /> {t("stems.all")}
          </a>
        )}
      </div>
      <p class="muted small">{t("stems.loopHelp")}</p>
      <ul class="mix">
        {stems.map((stem, at) => {
          const strip = strips[at];
          const title = maybe(`stems.name.${stem.name}`) ?? stem.name;
          const lossless = files[at].url;
          return (
            <li key={stem.name} class="strip">
              <div class="row">
                <h3 class="grow">{title}</h3>
                <Button size="s" icon="mute" aria-pressed={strip.muted} aria-label={t("stems.mute", { name: title })} onClick={() => change(at, { muted: !strip.muted })} />
                <Button size="s" icon="solo" aria-pressed={strip.solo} aria-label={t("stems.solo", { name: title })} onClick={() => change(at, { solo: !strip.solo })} />
                <a class="button plain size-s bare" href={here(lossless)} download aria-label={t("stems.download", { name: title })}>
                  <Icon name="download" size={16} />
                </a>
              </div>
              <Waveform
                peaks={stem.shape}
                duration={mixer.duration}
                position={mixer.position.value}
                onSeek={(seconds) => mixer.seek(seconds)}
                region={region}
                onRegion={(marked) => mixer.repeat(marked)}
                label={t("stems.waveform", { name: title })}
                height={56}
              />
              <div class="strip-knobs">
                <Slider
                  label={t("stems.volume")}
                  name={t("stems.volumeOf", { name: title })}
                  value={strip.gain}
                  min={-60}
                  max={6}
                  step={0.1}
                  unit="dB"
                  initial={0}
                  onInput={(gain) => change(at, { gain })}
                />
                <Slider
                  label={t("stems.pan")}
                  name={t("stems.panOf", { name: title })}
                  value={strip.pan}
                  min={-1}
                  max={1}
                  step={0.01}
                  initial={0}
                  onInput={(pan) => change(at, { pan })}
                />
              </div>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
