"""Whose voice a result has: Resemblyzer, a speaker encoder that is no part of this project, compares it with others.

    python likeness.py FOLDER          after converted.py has filled FOLDER

Cosine of the embeddings, 1 for the same voice: result to the voice's own demo, result to its source, results of several persons in one
voice to each other, and of one person in several voices.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import converted
import numpy as np
import soundfile


class Likeness:
    """The encoder, loaded once."""

    def __init__(self):
        from resemblyzer import VoiceEncoder

        self.encoder = VoiceEncoder("cpu", verbose=False)

    def embed(self, path: Path) -> np.ndarray:
        """[256], of unit length."""
        from resemblyzer import preprocess_wav

        samples, rate_hz = soundfile.read(path, dtype="float32", always_2d=True)
        return self.encoder.embed_utterance(preprocess_wav(samples.mean(axis=1), source_sr=rate_hz))


def figures(folder: Path, way: str) -> list[dict]:
    """One line for each voice."""
    encoder = Likeness()
    results = converted.results(folder, way)
    voices = sorted({result.voice for result in results})
    embedded = {(result.voice, result.take.name): encoder.embed(result.path) for result in results}
    sources = {take.name: encoder.embed(take.path) for take in converted.takes_for(folder, way)}
    persons = {take.name: take.person for take in converted.takes(folder)}
    lines = []
    for voice in voices:
        own = encoder.embed(converted.demo(folder, voice))
        names = [name for of, name in embedded if of == voice]
        pairs = [pair for pair in itertools.combinations(names, 2) if persons[pair[0]] != persons[pair[1]]]
        others = [(name, other) for name in names for other in voices if other != voice and (other, name) in embedded]
        lines.append(
            {
                "voice": voice,
                "own": _mean(own @ embedded[voice, name] for name in names),
                "source": _mean(sources[name] @ embedded[voice, name] for name in names),
                "between persons": _mean(embedded[voice, one] @ embedded[voice, two] for one, two in pairs),
                "between voices": _mean(embedded[voice, name] @ embedded[other, name] for name, other in others),
            }
        )
    return lines


def _mean(values) -> float:
    values = list(values)
    return float(np.mean(values)) if values else float("nan")


if __name__ == "__main__":
    for line in figures(Path(sys.argv[1]), converted.REGISTER):
        print(line)
