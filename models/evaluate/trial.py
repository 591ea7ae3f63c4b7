"""Converts sounds that are no plain speech (trials.py) to every voice, and says what became of pauses, levels and pitch.

    python trial.py FOLDER --url http://127.0.0.1:8080/api/v1 --key KEY [--pictures FOLDER]
    python trial.py FOLDER --reference [--models MODELS]

What is in FOLDER/trials already is not made again. Levels are of 50 ms; what a voice does not say is judged against the source.
"""

from __future__ import annotations

import sys
from pathlib import Path

import converted
import numpy as np
import pitch
import pyworld
import soundfile
import soxr
import spectrogram
import trials

FRAME = 800
"""Samples of a level: 50 ms."""
AFTER_S, BEFORE_S = 0.25, 0.1
"""Of a pause, the beginning and the end are left out: voices do not end and begin at a sample."""
STEADY_FRAMES = 10
HEARD_WITHIN_DB = 25.0
"""Frames of the source this close to its loudest are voice or something like it."""
GONE_DB = 35.0
"""A frame this far below the result's own level is gone."""
PICTURED = "Amber"


def levels_db(samples: np.ndarray) -> np.ndarray:
    """dBFS of each 50 ms."""
    frames = len(samples) // FRAME
    return 10.0 * np.log10((samples[: frames * FRAME].reshape(frames, FRAME) ** 2).mean(axis=1) + 1e-14)


def pause_dbfs(samples: np.ndarray, pauses: list[tuple[float, float]]) -> float:
    """RMS over all pauses."""
    parts = [samples[round((start + AFTER_S) * trials.RATE_HZ) : round((end - BEFORE_S) * trials.RATE_HZ)] for start, end in pauses]
    return float(10.0 * np.log10(np.mean(np.concatenate(parts) ** 2) + 1e-14))


def louder_db(result: np.ndarray, source: np.ndarray) -> float:
    """The most that a frame of 50 ms is louder than those around it, beyond what it is in the source."""
    one, other = levels_db(result), levels_db(source)
    frames = min(len(one), len(other))
    gain = one[:frames] - other[:frames]
    inside = range(2, frames - 2)
    around = [np.median(gain[max(0, place - STEADY_FRAMES) : place + STEADY_FRAMES + 1]) for place in inside]
    return float(max(gain[place] - middle for place, middle in zip(inside, around, strict=True)))


def jump_db(result: np.ndarray, source: np.ndarray) -> float:
    """The largest rise from one 50 ms to the next, beyond the source's, among frames that are heard in both."""
    one, other = levels_db(result), levels_db(source)
    frames = min(len(one), len(other))
    one, other = one[:frames], other[:frames]
    heard = (other > other.max() - HEARD_WITHIN_DB) & (one > one.max() - HEARD_WITHIN_DB)
    both = heard[1:] & heard[:-1]
    rises = np.diff(one) - np.diff(other)
    return float(rises[both].max()) if both.any() else 0.0


def gone_share(result: np.ndarray, source: np.ndarray, voiced: np.ndarray) -> float:
    """Of the frames that are voiced and heard in the source, those of which next to nothing is left."""
    one, other = levels_db(result), levels_db(source)
    per = FRAME // pitch.HOP
    frames = min(len(one), len(other), len(voiced) // per)
    is_voiced = (voiced[: frames * per].reshape(frames, per) > 0).all(axis=1)
    heard = is_voiced & (other[:frames] > other[:frames].max() - HEARD_WITHIN_DB)
    gone = heard & (one[:frames] < one.max() - GONE_DB)
    return float(gone.sum() / max(heard.sum(), 1))


def harvested(samples: np.ndarray) -> np.ndarray:
    """The pitch of a high note by WORLD, 100 a second."""
    return pyworld.harvest(samples.astype(np.float64), trials.RATE_HZ, f0_floor=250.0, f0_ceil=1_700.0, frame_period=10.0)[0]


def files(folder: Path) -> dict[str, Path]:
    """The trials' recordings by name, made when they are missing."""
    found = {}
    for number, trial in enumerate(trials.trials(folder)):
        file = folder / "trials" / "source" / f"{number:02}.wav"
        if not file.exists():
            converted.write(file, trial.samples, trials.RATE_HZ)
        found[trial.name] = file
    return found


def convert(folder: Path, options) -> None:
    """What is missing."""
    recordings = files(folder)
    make = converted.converter(options, converted.STANDARD)
    for voice in options.voices or list(converted.voices(options.models)):
        missing = [file for file in recordings.values() if not (folder / "trials" / voice / file.name).exists()]
        one = make(voice) if missing else None
        for file in missing:
            converted.write(folder / "trials" / voice / file.name, *one(file))


def figures(folder: Path) -> list[dict]:
    """One line for each trial and voice."""
    fcpe = pitch.Fcpe()
    lines = []
    for trial, file in zip(trials.trials(folder), files(folder).values(), strict=True):
        source, _ = soundfile.read(file)
        heard = fcpe.track(source)
        for path in sorted((folder / "trials").glob(f"*/{file.name}")):
            if path.parent.name == "source":
                continue
            samples, rate_hz = converted.read(path)
            result = samples if rate_hz == trials.RATE_HZ else soxr.resample(samples, rate_hz, trials.RATE_HZ)
            # FCPE knows no pitch over 1,100 Hz.
            compared = (
                pitch.compared(harvested(result), trial.f0_hz) if trial.f0_hz is not None else pitch.compared(fcpe.track(result), heard)
            )
            lines.append(
                {
                    "trial": trial.name,
                    "voice": path.parent.name,
                    "pause": pause_dbfs(result, trial.pauses) if trial.pauses else None,
                    "pause in the source": pause_dbfs(source, trial.pauses) if trial.pauses else None,
                    "louder": louder_db(result, source) if trial.f0_hz is not None else None,
                    "jump": jump_db(result, source),
                    "gone": gone_share(result, source, heard),
                    "added": compared["added"] / max(compared["unvoiced"], 1),
                    "octaves": compared["octaves"] / max(compared["both"], 1),
                }
            )
    return lines


def pictures(folder: Path, target: Path) -> list[tuple[str, Path]]:
    """Source over result of one voice, for each trial."""
    made = []
    for name, file in files(folder).items():
        result, rate_hz = converted.read(folder / "trials" / PICTURED / file.name)
        result = result if rate_hz == trials.RATE_HZ else soxr.resample(result, rate_hz, trials.RATE_HZ)
        picture = target / ("".join(letter if letter.isalnum() else "-" for letter in name.lower()).strip("-") + ".png")
        spectrogram.draw([soundfile.read(file)[0], result], picture)
        made.append((name, picture))
    return made


def main() -> None:
    """Converts, measures and prints."""
    parser = converted.parser(__doc__)
    parser.add_argument("--pictures", type=Path, help="a folder for spectrograms")
    options = parser.parse_args()
    convert(options.folder, options)
    for line in figures(options.folder):
        print({key: round(value, 3) if isinstance(value, float) else value for key, value in line.items()})
    if options.pictures:
        print(len(pictures(options.folder, options.pictures)), "pictures")


if __name__ == "__main__":
    sys.exit(main())
