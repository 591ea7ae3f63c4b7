"""The voice conversion path in numpy: content, fundamental, index, decoder, articulation, volume.

It exists to make the demo recordings, to measure the packages before a server runs them, and to say exactly what the
tensors mean. It reads the whole recording at once, or in segments when asked, and favours plainness over speed.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import onnxruntime
from articulation import articulate
from scipy.signal import resample_poly

SAMPLE_RATE_HZ = 16_000
"""What the models hear. A voice speaks at the rate in its manifest."""
FRAME = 160
"""Samples per frame of the fundamental (100 Hz) at the rate that the models hear."""
CONTENT_HOP = 320
"""Samples per content vector (50 Hz)."""
PIECE_FRAMES, CONTEXT_FRAMES, FADE_FRAMES = 500, 75, 5
"""Content vectors of a piece, that are heard besides on both sides, and over which neighbours go over into each other on each side of
their border: 10 s, 1.5 s and 0.1 s, as in the host."""
SILENCE_BELOW_LOUDEST_DB = 40.0
"""10 ms frames this far below the loudest frame do not count as sounding."""
GATE_BELOW_SOUNDING_DB = 60.0
"""The result is closed where the source is this far below its sounding level."""


def sounding_rms(samples: np.ndarray, frame: int = FRAME) -> float:
    """RMS over the 10 ms frames that are within 40 dB of the loudest one; 0.0 for silence."""
    power = frame_power(samples, frame)
    if power.max(initial=0.0) <= 0.0:
        return 0.0
    sounding = power[power >= power.max() * 10 ** (-SILENCE_BELOW_LOUDEST_DB / 10)]
    return float(np.sqrt(sounding.mean()))


def frame_power(samples: np.ndarray, frame: int) -> np.ndarray:
    """Mean square of each whole frame."""
    frames = len(samples) // frame
    return (np.asarray(samples[: frames * frame], np.float64).reshape(frames, frame) ** 2).mean(axis=1)


def to_model_rate(samples: np.ndarray, rate_hz: int) -> np.ndarray:
    """Mono at 16 kHz from any channels and rate."""
    mono = samples.mean(axis=1) if samples.ndim == 2 else samples
    if rate_hz == SAMPLE_RATE_HZ:
        return mono
    common = np.gcd(rate_hz, SAMPLE_RATE_HZ)
    return resample_poly(mono, SAMPLE_RATE_HZ // common, rate_hz // common)


def at_rate(samples: np.ndarray, rate_hz: int, wanted_rate_hz: int, length: int) -> np.ndarray:
    """From one rate to another, cut or padded to `length`."""
    common = np.gcd(rate_hz, wanted_rate_hz)
    result = resample_poly(samples, wanted_rate_hz // common, rate_hz // common)
    return np.pad(result, (0, max(0, length - len(result))))[:length]


def open_session(graph: Path | bytes) -> onnxruntime.InferenceSession:
    """A session on one thread, so that runs repeat bit for bit."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        graph if isinstance(graph, bytes) else str(graph), options, providers=["CPUExecutionProvider"])


class Package:
    """A model package: its manifest and its files by role."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.manifest = tomllib.loads((folder / "package.toml").read_text())

    def file(self, role: str) -> Path:
        """The file with this role."""
        return next(self.folder / name for name, entry in self.manifest["files"].items() if entry["role"] == role)


class ContentEncoder:
    """Wave at 16 kHz, scaled to the manifest's level, to [T, 65] at 50 Hz (64 content, then log energy)."""

    def __init__(self, graph: Path):
        self.session = open_session(graph)

    def encode(self, samples: np.ndarray) -> np.ndarray:
        """`samples` must be scaled already; they are padded with silence to whole content hops."""
        padded = np.pad(samples, (0, -len(samples) % CONTENT_HOP)).astype(np.float32)
        frames = len(padded) // CONTENT_HOP
        result = None
        for start in range(0, max(frames, 1), PIECE_FRAMES):
            end = start + PIECE_FRAMES
            low, high = max(0, start - FADE_FRAMES), min(frames, end + FADE_FRAMES)
            first, last = max(0, low - CONTEXT_FRAMES), min(frames, high + CONTEXT_FRAMES)
            heard = self.session.run(None, {"source": padded[None, None, first * CONTENT_HOP : last * CONTENT_HOP]})[0][0]
            if result is None:
                result = np.zeros((frames, heard.shape[1]), np.float32)
            middle = np.arange(low, high) + 0.5
            rising = np.ones(high - low) if start == 0 else np.clip((middle - start + FADE_FRAMES) / (2 * FADE_FRAMES), 0.0, 1.0)
            falling = np.clip((middle - end + FADE_FRAMES) / (2 * FADE_FRAMES), 0.0, 1.0) if end < frames else 0.0
            share = np.minimum(rising, 1.0 - falling)[:, None]
            result[low:high] += (share * heard[low - first : high - first]).astype(np.float32)
        return result


class Fundamental:
    """Log-mel spectrum in, salience of pitch bins out, decoded to Hz per 10 ms frame (0 = unvoiced)."""

    def __init__(self, package: Package):
        self.parameters = package.manifest["f0"]
        self.session = open_session(package.file("graph"))
        self.filters = mel_filters(self.parameters)

    def mel(self, samples: np.ndarray) -> np.ndarray:
        """[frames, mels]: magnitude spectrum of a periodic Hann window that begins `lead` samples before its frame, reflected at the ends."""
        n_fft, hop, lead = self.parameters["n_fft"], self.parameters["hop"], self.parameters["lead"]
        frames = len(samples) // hop
        padded = np.pad(samples, (lead, n_fft), mode="reflect")
        window = np.hanning(n_fft + 1)[:-1]
        starts = np.arange(frames) * hop
        power = np.abs(np.fft.rfft(padded[starts[:, None] + np.arange(n_fft)] * window, axis=1)) ** 2
        magnitude = np.sqrt(power + self.parameters["power_floor"])
        return np.log(np.maximum(magnitude @ self.filters, self.parameters["log_floor"])).astype(np.float32)

    def track(self, samples: np.ndarray) -> np.ndarray:
        """Hz per frame."""
        salience = self.session.run(None, {"mel": self.mel(samples)[None]})[0][0]
        return decode_salience(salience, self.parameters)


def mel_filters(parameters: dict) -> np.ndarray:
    """[bins of the spectrum, mels]: triangles on Slaney's mel scale (linear up to 1 kHz), each of unit area."""

    def to_mel(hz: float) -> float:
        return hz * 3.0 / 200.0 if hz < 1_000.0 else 15.0 + 27.0 * np.log(hz / 1_000.0) / np.log(6.4)

    edges = np.linspace(to_mel(parameters["fmin_hz"]), to_mel(parameters["fmax_hz"]), parameters["mels"] + 2)
    points = np.where(edges < 15.0, edges * 200.0 / 3.0, 1_000.0 * np.exp((edges - 15.0) * np.log(6.4) / 27.0))
    hz = np.linspace(0.0, SAMPLE_RATE_HZ / 2, parameters["n_fft"] // 2 + 1)[:, None]
    rising = (hz - points[:-2]) / (points[1:-1] - points[:-2])
    falling = (points[2:] - hz) / (points[2:] - points[1:-1])
    return np.maximum(0.0, np.minimum(rising, falling)) * (2.0 / (points[2:] - points[:-2]))


def decode_salience(salience: np.ndarray, parameters: dict) -> np.ndarray:
    """The salience-weighted mean of the nine bins around the highest, numbers stopping at the ends, where that one is over the threshold."""
    best = salience.argmax(axis=1)
    bins = np.clip(best[:, None] + np.arange(-4, 5), 0, salience.shape[1] - 1)
    weights = np.take_along_axis(salience, bins, axis=1).astype(np.float64)
    cents = parameters["cents_base"] + parameters["cents_step"] * (weights * bins).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-12)
    return np.where(salience.max(axis=1) > parameters["threshold"], 10.0 * 2.0 ** (cents / 1200.0), 0.0)


def read_index(package: Package) -> np.ndarray:
    """[rows, dim] as f32."""
    shape = package.manifest["index"]
    return np.fromfile(package.file("index"), "<f2").reshape(shape["rows"], shape["dim"]).astype(np.float32)


def retrieve(
    content: np.ndarray,
    index: np.ndarray,
    share: float | np.ndarray,
    neighbours: int = 8,
    reach: float | None = None,
) -> np.ndarray:
    """Mixes each content vector with its neighbours in the index, weighted by 1/d^4 (inverse square of squared L2).

    `share` is one number or one per vector. Up to the squared distance `reach` of the nearest neighbour all of it is taken, from twice as
    far nothing.
    """
    dim = index.shape[1]
    query = content[:, :dim].astype(np.float64)
    distances = (
        (query**2).sum(axis=1)[:, None]
        - 2.0 * query @ index.T.astype(np.float64)
        + (index.astype(np.float64) ** 2).sum(axis=1)
    )
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :neighbours]
    weights = (1.0 / np.maximum(np.take_along_axis(distances, nearest, axis=1), 1e-12)) ** 2
    weights /= weights.sum(axis=1, keepdims=True)
    retrieved = (index[nearest] * weights[:, :, None]).sum(axis=1)
    share = np.broadcast_to(share, len(query))
    if reach is not None:
        share = share * np.clip(2.0 - distances.min(axis=1) / reach, 0.0, 1.0)
    mixed = content.copy()
    mixed[:, :dim] = (1.0 - share[:, None]) * query + share[:, None] * retrieved
    return mixed


def phase_at_frames(f0_hz: np.ndarray) -> np.ndarray:
    """Cycles at the start of each frame, counted as the decoder counts them, in double precision, modulo 1."""
    f0 = f0_hz.astype(np.float32).astype(np.float64)
    following = np.concatenate([f0[1:], f0[-1:]])
    following = np.where((following > 0) & (f0 > 0), following, f0)
    increments = (f0 + following) * 0.5 / 100.0
    start = np.cumsum(increments) - increments
    return start - np.floor(start)


class Decoder:
    """[T, D] at 100 Hz and Hz per frame to a wave; the number of noise rows is read from the graph."""

    def __init__(self, graph: Path | bytes):
        self.session = open_session(graph)
        self.inputs = {tensor.name: tensor.shape for tensor in self.session.get_inputs()}
        self.noise_rows = self.inputs["rnd"][1]

    def decode(self, phone: np.ndarray, f0_hz: np.ndarray, noise: np.ndarray, phase: float = 0.0) -> np.ndarray:
        """`noise` is [noise_rows, T], normally distributed with unit variance; `phase` in cycles at the first frame."""
        frames = len(f0_hz)
        feed = {
            "phone": phone[None].astype(np.float32),
            "phone_lengths": np.array([frames], np.int64),
            "pitch": np.ones((1, frames), np.int64),
            "pitchf": f0_hz[None].astype(np.float32),
            "ds": np.zeros(1, np.int64),
            "rnd": noise[None].astype(np.float32),
            "phase": np.array([phase], np.float64),
        }
        return self.session.run(None, {name: value for name, value in feed.items() if name in self.inputs})[0][0, 0]


@dataclass
class Parameters:
    """What a caller may ask for."""

    conversion_strength: float = 0.5
    model_volume_mix: float = 0.5
    pitch_shift: float = 0.0
    seed: int = 0
    auto_pitch: bool = False


REGISTER_SHIFTS = (-24.0, -19.0, -12.0, -7.0, 0.0, 7.0, 12.0, 19.0, 24.0)
"""Semitones that bring a recording into a voice's register: octaves and fifths."""
FEWEST_VOICED = 30
"""Fewer frames with a pitch say nothing of a register."""


def suggested_shift(f0_hz: np.ndarray, mean_f0_hz: float) -> float:
    """The one that brings the mean pitch nearest to the voice's; 0 where hardly any was heard."""
    voiced = f0_hz[f0_hz > 0]
    if len(voiced) < FEWEST_VOICED:
        return 0.0
    wanted = 12.0 * (np.log2(mean_f0_hz) - np.log2(voiced).mean())
    return min(REGISTER_SHIFTS, key=lambda shift: abs(shift - wanted))


class VoiceConverter:
    """One voice with the content and fundamental packages it names."""

    def __init__(self, models: Path, voice: str):
        self.package = Package(models / voice)
        settings = self.package.manifest["voice"]
        content = Package(models / settings["content"])
        self.rate_hz = self.package.manifest["audio"]["sample_rate_hz"]
        self.level = content.manifest["normalize"]["rms"]
        self.content = ContentEncoder(content.file("graph"))
        self.fundamental = Fundamental(Package(models / settings["f0"]))
        self.decoder = Decoder(self.package.file("graph"))
        self.index = read_index(self.package)

    def convert(self, samples: np.ndarray, parameters: Parameters) -> np.ndarray:
        """Mono at 16 kHz in, as long at the voice's rate out; silence for silence."""
        length = len(samples) * self.rate_hz // SAMPLE_RATE_HZ
        if sounding_rms(samples) == 0.0:
            return np.zeros(length)
        return apply_volume(self.render(samples, parameters), self.rate_hz, samples, parameters.model_volume_mix)

    def render(self, samples: np.ndarray, parameters: Parameters, f0_hz: np.ndarray | None = None) -> np.ndarray:
        """What the voice says, at its own level, before the volume mix. `f0_hz` replaces the estimate."""
        source_rms = sounding_rms(samples)
        scaled = np.pad(samples * (self.level / source_rms), (0, -len(samples) % CONTENT_HOP))
        content = self.content.encode(scaled)
        if f0_hz is None:
            f0_hz = self.fundamental.track(scaled)
        f0_hz = np.pad(f0_hz, (0, max(0, 2 * len(content) - len(f0_hz))))[: 2 * len(content)]
        voiced = (f0_hz.reshape(-1, 2) > 0).all(axis=1)
        reach = self.package.manifest["index"].get("reach")
        content = retrieve(content, self.index, parameters.conversion_strength * voiced, reach=reach)
        phone = np.repeat(content, 2, axis=0)
        shift = parameters.pitch_shift
        if parameters.auto_pitch:
            shift += suggested_shift(f0_hz, self.package.manifest["voice"]["mean_f0_hz"])
        factor = 2.0 ** (shift / 12.0)
        noise = np.random.default_rng(parameters.seed).standard_normal((len(f0_hz), self.decoder.noise_rows)).T
        wave = self.decoder.decode(phone, f0_hz * factor, noise)
        wave = wave[: len(samples) * self.rate_hz // SAMPLE_RATE_HZ].astype(np.float64)
        voice = self.package.manifest["voice"]
        if voice["instrument"]:
            return wave
        return articulate(wave, self.rate_hz, voice["level_rms"], samples, SAMPLE_RATE_HZ, source_rms, f0_hz, factor)


def apply_volume(wave: np.ndarray, rate_hz: int, source: np.ndarray, mix: float) -> np.ndarray:
    """Gives the voice the source's loudness over time (mix 0), its own (mix 1) or between, and keeps silence silent."""
    source_envelope = envelope(source, SAMPLE_RATE_HZ // 2, SAMPLE_RATE_HZ, len(wave), rate_hz)
    own_envelope = np.maximum(envelope(wave, rate_hz // 2, rate_hz, len(wave), rate_hz), 1e-6)
    shaped = wave * (np.maximum(source_envelope, 1e-6) / own_envelope) ** (1.0 - mix)
    threshold = sounding_rms(source) * 10 ** (-GATE_BELOW_SOUNDING_DB / 20)
    short = envelope(source, 2 * FRAME, SAMPLE_RATE_HZ, len(wave), rate_hz)
    return shaped * np.clip((short / threshold - 1.0), 0.0, 1.0)


def envelope(samples: np.ndarray, window: int, rate_hz: int, length: int, wanted_rate_hz: int) -> np.ndarray:
    """RMS in windows of this many samples, every half window, linearly interpolated to `length` samples of a rate."""
    hop = window // 2
    padded = np.pad(np.asarray(samples, np.float64), (window // 2, window))
    sums = np.concatenate([[0.0], np.cumsum(padded**2)])
    starts = np.arange(0, len(samples) + hop, hop)
    power = np.maximum(sums[starts + window] - sums[starts], 0.0) / window
    return np.interp(np.arange(length) / wanted_rate_hz, starts / rate_hz, np.sqrt(power))
