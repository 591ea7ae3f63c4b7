import { useEffect, useRef, useState } from "preact/hooks";
import { Microphone, microphoneProblem, type Level } from "../lib/capture";
import { duration } from "../lib/format";
import { t } from "../lib/strings";
import { Button } from "./Button";
import { Select, Toggle } from "./Field";
import { Meter } from "./Meter";
import { Problem } from "./Problem";
import { stopDemo } from "./VoiceCard";
import "./recorder.css";

const BEATS = 4;
const BEAT_SECONDS = 0.6;

type State = "closed" | "opening" | "ready" | "counting" | "recording";

/** Records a take: level, count-in, and the file when it is stopped. */
export function Recorder({ onTake }: { onTake: (file: File) => void }) {
  const [state, setState] = useState<State>("closed");
  const [level, setLevel] = useState<Level>({ peak: 0, rms: 0 });
  const [held, setHeld] = useState(0);
  const [clipped, setClipped] = useState(false);
  const [seconds, setSeconds] = useState(0);
  const [left, setLeft] = useState(0);
  const [countIn, setCountIn] = useState(true);
  const [devices, setDevices] = useState<MediaDeviceInfo[]>([]);
  const [device, setDevice] = useState("");
  const [problem, setProblem] = useState<unknown>(null);
  const microphone = useRef<Microphone | null>(null);
  const counting = useRef<AbortController | null>(null);

  const close = () => {
    counting.current?.abort();
    microphone.current?.close();
    microphone.current = null;
  };
  useEffect(() => close, []);

  const open = async (which: string) => {
    close();
    stopDemo();
    setProblem(null);
    setState("opening");
    try {
      if (!("mediaDevices" in navigator)) throw new DOMException("", "SecurityError");
      microphone.current = await Microphone.open(
        which,
        (now) => {
          setLevel(now);
          setHeld((was) => Math.max(now.peak, was * 0.97));
          if (now.peak >= 0.999) setClipped(true);
        },
        setSeconds,
      );
      setDevice(microphone.current.device);
      setDevices((await navigator.mediaDevices.enumerateDevices()).filter((one) => one.kind === "audioinput"));
      setClipped(false);
      setState("ready");
    } catch (error) {
      setState("closed");
      setProblem(microphoneProblem(error));
    }
  };

  const start = async () => {
    const open = microphone.current;
    if (open === null) return;
    setClipped(false);
    setSeconds(0);
    if (countIn) {
      const stop = new AbortController();
      counting.current = stop;
      setState("counting");
      await open.countIn(BEATS, BEAT_SECONDS, setLeft, stop.signal);
      if (stop.signal.aborted) return;
    }
    open.record();
    setState("recording");
  };

  const stop = () => {
    if (state === "counting") {
      counting.current?.abort();
      setState("ready");
      return;
    }
    const file = microphone.current?.stop(`${t("convert.record.file")} ${new Date().toLocaleTimeString("sv").replaceAll(":", "-")}.wav`);
    setState("ready");
    if (file === undefined) return;
    close();
    setState("closed");
    onTake(file);
  };

  if (state === "closed" || state === "opening") {
    return (
      <div class="stack recorder">
        <p class="muted">{t("convert.record.text")}</p>
        <Problem problem={problem} />
        <div>
          <Button kind="primary" icon="microphone" busy={state === "opening"} onClick={() => void open(device)}>
            {t(state === "opening" ? "convert.record.opening" : "convert.record.open")}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div class="stack recorder">
      <Meter label={t("convert.record.level")} rms={level.rms} peak={held} clipped={clipped} />
      <div class="row">
        {state === "ready" ? (
          <Button kind="primary" icon="record" onClick={() => void start()}>
            {t("convert.record.start")}
          </Button>
        ) : (
          <Button kind="danger" icon="stop" onClick={stop}>
            {t("convert.record.stop")}
          </Button>
        )}
        <span class="take-clock number" role="status">
          {state === "counting"
            ? t("convert.record.count", { n: left })
            : state === "recording"
              ? t("convert.record.running", { time: duration(seconds) })
              : t("convert.record.ready")}
        </span>
      </div>
      <div class="knobs">
        {devices.length > 1 && (
          <Select
            label={t("convert.record.device")}
            value={device}
            disabled={state !== "ready"}
            onChange={(which) => void open(which)}
            options={devices.map((one, i) => ({ value: one.deviceId, label: one.label || t("convert.record.numbered", { n: i + 1 }) }))}
          />
        )}
        <Toggle
          label={t("convert.record.countIn")}
          help={t("convert.record.countInHelp")}
          value={countIn}
          onChange={setCountIn}
          disabled={state !== "ready"}
        />
      </div>
    </div>
  );
}
