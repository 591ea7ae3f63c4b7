"""What the live encoder learns from: speech of many bodies and tongues and singing, as they are and worn, and what the published encoder
says of them.

    python -m voices.live_sounds WORK [FIRST:LAST] --initial MODELS

The singing is that of `generate`, where it was run. One file per piece in WORK/live: `samples` i16 [N] at 16 kHz and at the reference level, `content` f16 [N / 320, 64] and `voice` f16 [N / 320],
the logit that somebody speaks. Nothing is labelled: all there is to learn is what the encoder says that hears everything. What lies there
already is left.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import soxr
import torch

from . import bystanders, engines, initial, items, projection, texts, whisper, whisper_features, worn
from .generate import ESPEAK_VOICES, scaled, seed_of, to_int16
from .packages import CONTENT_ID

PIECES, SENTENCES = 2_200, 3
"""How many pieces, and how many sentences make one."""
LISTED, WORDS = 0.3, 9
"""The share of pieces in which words are said one by one, and how many."""
TEXTS = 90_017
"""The seed of what is said."""
TONGUES = (
    "de", "fr", "es", "it", "pt-br", "nl", "sv", "pl", "ru", "cs", "fi", "hu", "tr", "el", "ro", "hi", "cmn", "ja", "ko", "vi",
    "da", "nb", "ca", "en-gb-scotland", "en-gb-x-rp", "en-gb-x-gbclan", "en-us-nyc",
)  # fmt: skip
"""Of espeak-ng. They read the English sentences by rules of their own: their sounds are wanted, not their words."""
VARIANTS = ("m1", "m3", "m6", "m8", "f1", "f2", "f3", "f5", "klatt2", "klatt3", "Andy", "Michael", "steph", "belinda", "Gene2", "Alicia", "whisper")
FASTEST, SLOWEST = 1.25, 0.8
"""Played so much faster or slower, by which a body is smaller or larger and higher or lower."""
NOTHING, OVERLAID = 0.06, 0.06
"""Shares of pieces in which nobody speaks, and two do."""
PAUSES_S = (0.0, 1.5)


def said(text: str, generator: np.random.Generator) -> np.ndarray:
    """[N] at 16 kHz by one of the programs, and by a body that may be another than its own."""
    kind = generator.random()
    if kind < 0.45:
        samples, _ = engines.flite(text, str(generator.choice(engines.FLITE_VOICES)), float(generator.uniform(0.85, 1.25)))
    elif kind < 0.55:
        samples = engines.festival([text], "kal")[0][0]
    else:
        variant = str(generator.choice(VARIANTS))
        voice = f"{generator.choice(TONGUES)}+{variant}" if kind > 0.75 else str(generator.choice(ESPEAK_VOICES))
        knobs = {"pitch": (10, 90), "words_per_minute": (110, 210), "intonation": (10, 90)}
        samples, _ = engines.espeak(text, voice, **{name: int(generator.integers(*bounds)) for name, bounds in knobs.items()})
    speed = float(np.exp(generator.uniform(np.log(SLOWEST), np.log(FASTEST))))
    return soxr.resample(np.asarray(samples, np.float64), 16_000, 16_000 / speed)


def piece(number: int) -> np.ndarray:
    """[N], N a multiple of 320, at most 24 s."""
    generator = np.random.default_rng(seed_of(f"live-{number}"))
    if generator.random() < NOTHING:
        level = 0.06 * 10.0 ** (-generator.uniform(0.0, 40.0) / 20.0)
        return level * bystanders.any_kind(320 * 400, generator)
    parts = []
    lists = texts.lists(TEXTS + number, 1, WORDS) if generator.random() < LISTED else []
    for text in lists[0] if lists else texts.sentences(TEXTS + number, SENTENCES):
        parts += [scaled(said(text, generator)) * 10.0 ** (generator.uniform(-4.0, 4.0) / 20.0)]
        parts += [np.zeros(int(generator.uniform(*PAUSES_S) ** 2 * 16_000))]
    samples = np.concatenate(parts)
    if generator.random() < OVERLAID:
        other = scaled(said(texts.sentences(TEXTS - number, 1)[0], generator))[: len(samples)]
        samples[: len(other)] += other * 10.0 ** (-generator.uniform(0.0, 15.0) / 20.0)
    if generator.random() < 0.6:
        samples = worn.worn(samples, generator)
    samples = scaled(samples)[: 320 * 1_200]
    return samples[: len(samples) // 320 * 320]


def published(models: Path) -> projection.WhisperContent:
    """The newest content encoder of a folder of packages."""
    state = initial.tensors(initial.newest(models, CONTENT_ID) / "content.onnx", prefix="")
    encoder = projection.WhisperContent(whisper.WhisperEncoder(), projection.Projection())
    left = initial.load(encoder, state)
    # The published encoder ends with its last layer; phones are named in training only.
    expected = ("encoder.norm.", "network.phones.")
    if unknown := [name for name in left if not name.startswith(expected)]:
        raise ValueError(f"the package has no weights for {unknown}")
    return encoder.eval()


def sung(path: Path, key: str) -> np.ndarray:
    """[N] of an item that is sung, by itself or its twin."""
    generator = np.random.default_rng(seed_of(f"live-{path.stem}-{key}"))
    with np.load(path) as item:
        samples = items.read_wave(item[key]).astype(np.float64)
    if generator.random() < 0.5:
        samples = scaled(worn.worn(samples, generator))
    return samples[: len(samples) // 320 * 320]


def keep(file: Path, teacher: projection.WhisperContent, make) -> None:
    """A piece and what the teacher says of it, where it is not there yet."""
    if file.exists():
        return
    samples = to_int16(make())
    with torch.inference_mode():
        content, _, voice = teacher.network(teacher.features(torch.from_numpy(items.read_wave(samples))[None]))
    whisper_features.keep_archive(file, samples=samples, content=content[0].half().numpy(), voice=voice[0].half().numpy())


def main() -> None:
    """Makes what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("bounds", nargs="?", default=f"0:{PIECES}")
    parser.add_argument("--initial", type=Path, required=True, help="a folder of packages: whose content encoder is the teacher")
    options = parser.parse_args()
    torch.set_num_threads(1)
    teacher = published(options.initial)
    (options.work / "live").mkdir(parents=True, exist_ok=True)
    for number in range(*map(int, options.bounds.split(":"))):
        keep(options.work / "live" / f"piece-{number:04d}.npz", teacher, lambda: piece(number))  # noqa: B023
    for path in items.paths(options.work, "train-sung-"):
        for key in ("wave", "twin"):
            keep(options.work / "live" / f"{path.stem}-{key}.npz", teacher, lambda: sung(path, key))  # noqa: B023



if __name__ == "__main__":
    main()
