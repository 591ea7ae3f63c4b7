"""Generates the speech and singing that everything here learns from or is measured on.

One file (npz, compressed arrays of one utterance) per item in WORK/speech:

    wave      int16 [N]       16 kHz: the speech program's own sound, or the singing of its unchanged voice
    twin      int16 [N]       the same phones at the same times by another body: formants, pitch, tilt, breath changed
    labels    int8  [T]       phone of each 10 ms frame
    f0        f32   [T]       fundamental of `wave` (of the generator where it is sung, else WORLD's)
    twin_f0   f32   [T]       fundamental of `twin` (of the generator, exact)
    log_power f16   [T, 257]  WORLD's envelope of `wave`
    rough     f16   [T]       WORLD's coded aperiodicity

Names: SPLIT-KIND-VOICE-NUMBER. Every item has a seed of its own made of its name, so any part can be made anew.
"""

from __future__ import annotations

import sys
import time
import zlib
from pathlib import Path

import numpy as np

from . import engines, phones, singing, texts, world

SPOKEN_PER_VOICE = 240
SUNG_PER_VOICE = 70
LISTS_PER_VOICE, WORDS_IN_A_LIST = 100, 8
PAUSES_S = (0.05, 0.7)
"""Behind each word of a list. Without lists a word that begins after a pause is heard to begin with a consonant that nobody said."""
TESTS_PER_VOICE = 10
SUNG_TESTS_PER_VOICE = 5
TRAINING_TEXTS, ESPEAK_TEXTS, TEST_TEXTS, TRAINING_LISTS = 101, 202, 303, 404
"""Seeds of the texts."""
STRETCHES = (0.85, 1.0, 1.0, 1.2)
ESPEAK_VOICES = tuple(
    f"en-us+{variant}"
    for variant in ("m1", "m2", "m3", "m4", "m6", "f1", "f2", "f3", "f5", "klatt", "klatt2", "klatt4", "Andy", "Diogo",
                    "Michael", "steph", "quincy", "belinda", "linda", "RicishayMax")
)  # fmt: skip
ESPEAK_ITEMS = 300
ESPEAK_TEST_VOICES = ("en-us+m7", "en-us+f4")
"""Held out."""
MEDIAN_HZ = {"slt": 175.0, "rms": 100.0, "awb": 127.0, "kal16": 95.0, "ked": 105.0, "slt_hts": 175.0}
REFERENCE_RMS = 0.06


def seed_of(name: str) -> int:
    """The same number for the same name everywhere (Python's own hash is salted)."""
    return zlib.crc32(name.encode())


def scaled(samples: np.ndarray) -> np.ndarray:
    """To the level that the models hear: RMS over the frames within 40 dB of the loudest."""
    import reference

    return samples * (REFERENCE_RMS / max(reference.sounding_rms(samples), 1e-9))


def random_design(generator: np.random.Generator) -> world.Design:
    """Another body."""
    return world.Design(
        formant_warp=float(generator.uniform(0.8, 1.28)),
        tilt_db=float(generator.uniform(-6.0, 6.0)),
        breath=float(generator.choice([0.0, 0.0, 0.1, 0.3, 0.6])),
    )


def random_pitch(f0_hz: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Moved to a median between 75 and 420 Hz, with more or less intonation, sometimes none or none at all."""
    voiced = f0_hz > 0
    if not voiced.any():
        return f0_hz
    cents = 1200.0 * np.log2(np.where(voiced, f0_hz, 1.0) / np.median(f0_hz[voiced]))
    spread = generator.choice([0.0, 0.6, 1.0, 1.0, 1.5])
    moved = float(np.exp(generator.uniform(np.log(75.0), np.log(420.0)))) * 2.0 ** (cents * spread / 1200.0)
    whispered = generator.random() < 0.04
    return np.where(voiced & (not whispered), np.clip(moved, 55.0, 1000.0), 0.0)


def to_int16(samples: np.ndarray) -> np.ndarray:
    """Clipped at full scale."""
    return np.clip(np.round(samples * 32767.0), -32768, 32767).astype(np.int16)


def save(folder: Path, name: str, **arrays: np.ndarray) -> None:
    """Written beside first, so that a file under its name is always whole."""
    partial = folder / f".{name}.npz"
    np.savez(partial, **arrays)
    partial.rename(folder / f"{name}.npz")


def spoken_item(folder: Path, name: str, samples: np.ndarray, phone_list: list, with_twin: bool) -> world.Analysis:
    """Analyses and stores one utterance; the analysis is returned for singing."""
    generator = np.random.default_rng(seed_of(name))
    samples = scaled(samples)
    frames = len(samples) // 160
    analysis = world.analyse(samples[: frames * 160])
    analysis = world.Analysis(*(part[:frames] for part in vars(analysis).values()))
    arrays = {}
    if with_twin:
        f0_hz = random_pitch(analysis.f0_hz, generator)
        design = random_design(generator)
        twin = world.synthesise(f0_hz, analysis.log_power, analysis.roughness_db, design, world.RATE_HZ)
        arrays = {"twin": to_int16(scaled(twin)), "twin_f0": f0_hz.astype(np.float32)}
    save(
        folder,
        name,
        wave=to_int16(samples[: frames * 160]),
        labels=phones.frame_labels(phone_list, frames),
        f0=analysis.f0_hz.astype(np.float32),
        log_power=analysis.log_power.astype(np.float16),
        rough=analysis.roughness_db.astype(np.float16),
        **arrays,
    )
    return analysis


def sung_item(folder: Path, name: str, analysis: world.Analysis, phone_list: list, median_hz: float) -> None:
    """Sings an utterance, once as itself and once by another body at another pitch."""
    generator = np.random.default_rng(seed_of(name))
    sung = singing.sing(analysis, phone_list, median_hz * generator.uniform(1.0, 2.0), generator)
    wave = world.synthesise(sung.f0_hz, sung.log_power, sung.roughness_db, world.Design(), world.RATE_HZ)
    twin_f0 = sung.f0_hz * float(np.clip(2.0 ** generator.uniform(-1.0, 1.2), 0.4, 700.0 / max(sung.f0_hz.max(), 1.0)))
    twin_f0 = np.where(twin_f0 > 0, np.maximum(twin_f0, 60.0), 0.0)
    design = random_design(generator)
    twin = world.synthesise(twin_f0, sung.log_power, sung.roughness_db, design, world.RATE_HZ)
    gain = scaled(wave)[np.abs(wave).argmax()] / wave[np.abs(wave).argmax()]
    save(
        folder,
        name,
        wave=to_int16(wave * gain),
        twin=to_int16(scaled(twin)),
        labels=sung.labels,
        f0=sung.f0_hz.astype(np.float32),
        twin_f0=twin_f0.astype(np.float32),
        log_power=(sung.log_power + 2.0 * np.log(gain)).astype(np.float16),
        rough=sung.roughness_db.astype(np.float16),
    )


def make_tests(folder: Path) -> None:
    """Texts, engines and speakers that no training item has (the flite voices speak other texts)."""
    said = texts.sentences(TEST_TEXTS, TESTS_PER_VOICE)
    sources = {voice: [engines.flite(text, voice) for text in said] for voice in engines.FLITE_VOICES}
    sources |= {voice: engines.festival(said, voice) for voice in engines.FESTIVAL_VOICES}
    for voice in ESPEAK_TEST_VOICES:
        sources[voice.replace("+", "_")] = [engines.espeak(text, voice) for text in said]
    for voice, utterances in sources.items():
        for number, (samples, phone_list) in enumerate(utterances):
            analysis = spoken_item(folder, f"test-spoken-{voice}-{number:03d}", samples, phone_list, with_twin=True)
            if number < SUNG_TESTS_PER_VOICE and voice in MEDIAN_HZ:
                sung_item(folder, f"test-sung-{voice}-{number:03d}", analysis, phone_list, MEDIAN_HZ[voice])


def training_texts() -> list[list[str]]:
    """What every training voice says, in parts with pauses between them: sentences, of one part each, then lists of words."""
    lists = texts.lists(TRAINING_LISTS, LISTS_PER_VOICE, WORDS_IN_A_LIST)
    return [[text] for text in texts.sentences(TRAINING_TEXTS, SPOKEN_PER_VOICE)] + [[f"{word}." for word in one] for one in lists]


def in_turn(name: str, parts: list[tuple[np.ndarray, engines.Phones]]) -> tuple[np.ndarray, engines.Phones]:
    """The parts of an item, with pauses behind them where there are several."""
    if len(parts) == 1:
        return parts[0]
    pauses_s = np.random.default_rng(seed_of(f"pauses of {name}")).uniform(*PAUSES_S, len(parts))
    return engines.in_turn(parts, pauses_s)


def make_flite(folder: Path, first: int, last: int) -> None:
    """The voices say the same texts, so that their utterances can be laid over each other phone by phone."""
    said = training_texts()
    started = time.monotonic()
    for number in range(first, min(last, len(said))):
        for voice in engines.FLITE_VOICES:
            name = f"train-spoken-{voice}-{number:03d}"
            parts = [engines.flite(text, voice, STRETCHES[number % len(STRETCHES)]) for text in said[number]]
            samples, phone_list = in_turn(name, parts)
            analysis = spoken_item(folder, name, samples, phone_list, with_twin=True)
            if number < SUNG_PER_VOICE:
                sung_item(folder, f"train-sung-{voice}-{number:03d}", analysis, phone_list, MEDIAN_HZ[voice])
        if number % 10 == 0:
            print(f"text {number}: {time.monotonic() - started:.0f} s", flush=True)


def make_espeak(folder: Path) -> None:
    """Many bodies of the formant synthesiser, for the content encoder and the recogniser only."""
    said = texts.sentences(ESPEAK_TEXTS, ESPEAK_ITEMS)
    for number, text in enumerate(said):
        _espeak_item(folder, f"train-formant-espeak-{number:03d}", [text], ESPEAK_VOICES[number % len(ESPEAK_VOICES)])


def _espeak_item(folder: Path, name: str, said: list[str], voice: str) -> None:
    generator = np.random.default_rng(seed_of(name))
    spoken = {
        "pitch": int(generator.integers(15, 85)),
        "words_per_minute": int(generator.integers(120, 190)),
        "intonation": int(generator.integers(20, 80)),
    }
    samples, phone_list = in_turn(name, [engines.espeak(text, voice, **spoken) for text in said])
    frames = len(samples) // 160
    save(
        folder,
        name,
        wave=to_int16(scaled(samples)[: frames * 160]),
        labels=phones.frame_labels(phone_list, frames),
    )


def make_parallel(folder: Path) -> None:
    """The texts of the flite voices by festival's kal and by many bodies of the formant synthesiser: other speakers' content for
    the decoder, more speakers for the content encoder and the recogniser, and no voice that anything is converted to."""
    said = training_texts()
    for voice in engines.TRAINING_FESTIVAL_VOICES:
        for first in range(0, len(said), 40):
            some = said[first : first + 40]
            spoken = iter(engines.festival([text for parts in some for text in parts], voice))
            for number, parts in enumerate(some, first):
                name = f"train-parallel-{voice}-{number:03d}"
                samples, phone_list = in_turn(name, [next(spoken) for _ in parts])
                spoken_item(folder, name, samples, phone_list, with_twin=True)
    for number, parts in enumerate(said):
        # Another order of the bodies than in `make_espeak`.
        variant = ESPEAK_VOICES[(number * 7 + 3) % len(ESPEAK_VOICES)]
        _espeak_item(folder, f"train-parallel-espeak-{number:03d}", parts, variant)


def main(work: Path, parts: list[str]) -> None:
    """`parts`: tests, espeak, parallel, flite, or flite:FIRST:LAST."""
    folder = work / "speech"
    folder.mkdir(parents=True, exist_ok=True)
    for part in parts or ["tests", "espeak", "parallel", "flite"]:
        name, *bounds = part.split(":")
        if name == "tests":
            make_tests(folder)
        elif name == "espeak":
            make_espeak(folder)
        elif name == "parallel":
            make_parallel(folder)
        else:
            make_flite(folder, *(int(bound) for bound in bounds or (0, SPOKEN_PER_VOICE + LISTS_PER_VOICE)))
        print(f"{part} made", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
