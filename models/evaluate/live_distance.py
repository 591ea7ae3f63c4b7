"""How far what `vocalhost live` speaks is from the same recording converted whole, in decibels of log-spectral distance.

    python live_distance.py PROGRAM RECORDING... [--times 60+60,80+80] [--voice Oak] [--models MODELS]

Two whole conversions with different seeds differ, too: the distance of a live one to a whole one is told beyond that. Distances are those of 64 mel bands
over 32 ms, where the whole conversion sounds, and from 3 s on, when the speaker's level is known; in brackets with the level told from the start.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import paths
import soundfile
import soxr

RATE_HZ = 16_000
FRAME, HOP, BANDS = 512, 160, 64
SOUNDING_WITHIN_DB = 40.0
KNOWN_AFTER_S = 3.0


def mel_bands() -> np.ndarray:
    """Triangles over the bins of a frame, from 0 Hz to half of the rate (O'Shaughnessy's mel scale)."""
    mel = np.linspace(0.0, 2595.0 * np.log10(1.0 + RATE_HZ / 2 / 700.0), BANDS + 2)
    edges = 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    hz = np.linspace(0.0, RATE_HZ / 2, FRAME // 2 + 1)[:, None]
    rising = (hz - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - hz) / (edges[2:] - edges[1:-1])
    return np.maximum(0.0, np.minimum(rising, falling))


def levels_db(samples: np.ndarray) -> np.ndarray:
    """Frames by bands."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, FRAME)[::HOP] * np.hanning(FRAME)
    power = np.abs(np.fft.rfft(frames)) ** 2
    return 10.0 * np.log10(power @ mel_bands() + 1e-8)


def distance_db(found: np.ndarray, wanted: np.ndarray) -> float:
    """The mean over frames that sound in `wanted` of the root of the mean square over bands."""
    length = min(len(found), len(wanted))
    found, wanted = levels_db(found[:length]), levels_db(wanted[:length])
    loudness = wanted.max(axis=1)
    sounds = loudness > loudness.max() - SOUNDING_WITHIN_DB
    sounds[: round(KNOWN_AFTER_S * RATE_HZ / HOP)] = False
    return float(np.sqrt(((found - wanted)[sounds] ** 2).mean(axis=1)).mean())


def read(path: Path) -> np.ndarray:
    """Mono at 16 kHz."""
    samples, rate_hz = soundfile.read(path, always_2d=True)
    return soxr.resample(samples.mean(axis=1), rate_hz, RATE_HZ)


def whole(options: argparse.Namespace, recording: Path, seed: int) -> np.ndarray:
    """The recording converted as one."""
    with tempfile.TemporaryDirectory() as folder:
        heard, out = Path(folder) / "heard.wav", Path(folder) / "out.wav"
        # A result has the rate of its recording; that of a telephone would have nothing where the live one has sound.
        soundfile.write(heard, read(recording), RATE_HZ, "FLOAT")
        command = [options.program, "convert", heard, out, "--voice", options.voice, "--models-dir", options.models]
        subprocess.run([*command, "--volume-mix", "1", "--seed", str(seed)], check=True, capture_output=True)
        return read(out)


def live(options: argparse.Namespace, recording: Path, times: str, *, knows_level: bool) -> np.ndarray:
    """The recording converted while it is heard, with the seed 1."""
    import reference

    block_ms, look_ahead_ms = times.split("+")
    heard = read(recording)
    command = [options.program, "live", "--voice", options.voice, "--models-dir", options.models, "--rate", str(RATE_HZ)]
    command += ["--format", "f32le", "--block-ms", block_ms, "--look-ahead-ms", look_ahead_ms, "--volume-mix", "1", "--seed", "1"]
    if knows_level:
        command += ["--input-rms", str(reference.sounding_rms(heard))]
    spoken = subprocess.run(command, input=heard.astype("<f4").tobytes(), stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(spoken, "<f4").astype(float)


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("recordings", type=Path, nargs="+")
    parser.add_argument("--times", type=lambda text: text.split(","), default=["60+60", "80+80", "160+320"])
    parser.add_argument("--voice", default="Oak")
    parser.add_argument("--models", type=Path, default=paths.MODELS)
    options = parser.parse_args()
    print("| block + look-ahead | " + " | ".join(path.stem for path in options.recordings) + " |")
    print("|---" * (len(options.recordings) + 1) + "|")
    wanted = [whole(options, path, 0) for path in options.recordings]
    seeds = [distance_db(whole(options, path, 1), one) for path, one in zip(options.recordings, wanted, strict=True)]
    print("| whole, another seed | " + " | ".join(f"{one:.2f} dB" for one in seeds) + " |")
    for times in options.times:
        cells = []
        for path, one, seed in zip(options.recordings, wanted, seeds, strict=True):
            beyond = [distance_db(live(options, path, times, knows_level=known), one) - seed for known in (False, True)]
            cells.append("{:.2f} ({:.2f})".format(*beyond))
        print(f"| {times} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
