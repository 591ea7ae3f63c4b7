"""Checks the exported decoders: same inputs and initialisers everywhere, and segments that join.

    python -m voices.check_graphs MODELS

Frames 0..600 in one run must equal frames 0..300 and 300-context..600 in two runs that are given their start phase.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx

from . import designs
from .instruments import INSTRUMENTS

import reference  # noqa: E402  isort: skip

FRAMES, JOINT, CONTEXT = 600, 300, 40
LEAST_DB = -60.0


def example() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random content, a fundamental that glides, trembles and pauses, and noise."""
    generator = np.random.default_rng(7)
    content = np.repeat(np.tanh(generator.standard_normal((FRAMES // 2, 65))), 2, axis=0)
    time = np.arange(FRAMES)
    f0_hz = 180.0 * 2.0 ** (0.5 * np.sin(time / 70.0) + 0.03 * np.sin(time / 2.5))
    f0_hz[(time % 97) > 85] = 0.0
    return content, f0_hz, generator.standard_normal((320, FRAMES))


def main(models: Path) -> None:
    """Prints one line per package; fails when a check does."""
    shapes = set()
    content, f0_hz, noise = example()
    phase = reference.phase_at_frames(f0_hz)
    for package in (*designs.VOICES, *INSTRUMENTS):
        path = models / package.id / "decoder.onnx"
        shapes.add(tuple((t.name, tuple(t.dims), t.data_type) for t in onnx.load(path).graph.initializer))
        decoder = reference.Decoder(path)
        whole = decoder.decode(content, f0_hz, noise)
        first = decoder.decode(content[: JOINT + CONTEXT], f0_hz[: JOINT + CONTEXT], noise[:, : JOINT + CONTEXT])
        start = JOINT - CONTEXT
        second = decoder.decode(content[start:], f0_hz[start:], noise[:, start:], phase[start])
        joined = np.concatenate([first[: JOINT * 320], second[CONTEXT * 320 :]])
        apart_db = 10.0 * np.log10(np.mean((joined - whole) ** 2) / np.mean(whole**2) + 1e-30)
        print(f"{package.id}: joined at frame {JOINT}: {apart_db:.1f} dB", flush=True)
        assert apart_db < LEAST_DB
    assert len(shapes) == 1, "the packages' initialisers differ"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
