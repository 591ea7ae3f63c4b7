"""Checks the edited decoder graphs against the trained ones.

    python check_decoders.py --trained FOLDER [--models ../]

1. With phase 0 an edited graph gives the trained graph's samples bit for bit (voices made of one decoder).
2. Frames 0..600 in one run equal frames 0..300 and 300-context..600 in two runs that are given their start phase, away
   from the borders. Nothing else in the graph depends on where in the recording a segment starts.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import numpy as np
import reference

HERE = Path(__file__).parent
FRAMES = 600
JOINT = 300
RECEPTIVE_FRAMES = 16 + 4
"""The convolutions see 16 frames to each side, the overlap-add 2 more; 4 leaves a margin."""


def example(frames: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random content, a fundamental that glides, trembles and pauses, and noise."""
    generator = np.random.default_rng(7)
    content = np.repeat(np.tanh(generator.standard_normal((frames // 2, 65))), 2, axis=0)
    content[:, 64] = 0.3 * content[:, 64]
    time = np.arange(frames)
    f0_hz = 180.0 * 2.0 ** (0.5 * np.sin(time / 70.0) + 0.03 * np.sin(time / 2.5))
    f0_hz[(time % 97) > 85] = 0.0
    return content, f0_hz, generator.standard_normal((reference.NOISE_ROWS, frames))


def difference_db(result: np.ndarray, expected: np.ndarray) -> float:
    """Power of the difference relative to the power of what was expected."""
    return float(10 * np.log10(np.mean((result - expected) ** 2) / np.mean(expected**2) + 1e-30))


def joined_difference_db(decoder: reference.Decoder, context: int) -> float:
    """How far two runs that join at JOINT differ from one run, leaving out what the borders can reach."""
    content, f0_hz, noise = example(FRAMES)
    phase = reference.phase_at_frames(f0_hz)
    whole = decoder.decode(content, f0_hz, noise)
    first = decoder.decode(content[: JOINT + context], f0_hz[: JOINT + context], noise[:, : JOINT + context])
    start = JOINT - context
    second = decoder.decode(content[start:], f0_hz[start:], noise[:, start:], phase[start])
    hop = reference.FRAME
    joined = np.concatenate([first[: JOINT * hop], second[context * hop :]])
    return difference_db(joined, whole)


def main() -> None:
    """Prints one line per voice; fails when a check does."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trained", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=HERE.parent)
    options = parser.parse_args()
    for voice in tomllib.loads((HERE / "voices.toml").read_text())["voice"]:
        edited = reference.Decoder(options.models / voice["id"] / "decoder.onnx")
        line = voice["id"]
        if len(voice["parts"]) == 1:
            trained = reference.Decoder(options.trained / voice["parts"][0]["decoder"])
            expected = trained.decode(*example(FRAMES), speaker=voice["parts"][0]["speaker"])
            same = np.array_equal(edited.decode(*example(FRAMES)), expected)
            line += f": equal to the trained graph at phase 0: {same}"
            assert same
        joined = joined_difference_db(edited, 2 * RECEPTIVE_FRAMES)
        print(f"{line}; joined at frame {JOINT}: {joined:.1f} dB")
        assert joined < -60.0


if __name__ == "__main__":
    main()
