"""Measures conversions through a running server as `evaluate` does those of the reference implementation.

    python -m voices.served WORK --url http://127.0.0.1:8080/api/v1 --key "$KEY"

The server must have the voices of WORK. Writes WORK/served.json, which `page` shows beside the other figures. Sources go
there at the voices' own sample rate, so that no resampling of the result stands between the two.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import soundfile
import soxr
import torch

from . import decoder, designs, evaluate

sys.path.append(str(Path(__file__).resolve().parents[2] / "evaluate"))
import evaluate as over_http  # noqa: E402  isort: skip

PEAK = 0.5


def main() -> None:
    """All voices, on every source."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--url", required=True)
    parser.add_argument("--key", required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    judges = evaluate.Judges(options.work)
    server = over_http.Server(options.url, options.key, evaluate.STRENGTH, volume_mix=1.0)
    numbers = {title: number for number, title in server.voices()}
    mean_f0_hz = {name: figures["mean_f0_hz"] for name, figures in json.loads((options.work / "figures.json").read_text()).items()}
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "source.wav"
        for voice in designs.VOICES:

            def convert(wave: np.ndarray, shift: float, number: int = numbers[voice.name]) -> tuple[np.ndarray, int]:
                wide = soxr.resample(wave * (PEAK / np.abs(wave).max()), 16_000, decoder.RATE_HZ)
                soundfile.write(file, wide, decoder.RATE_HZ, subtype="PCM_24")
                return server.convert(number, file, int(shift))

            result[voice.id] = evaluate.voice_figures(judges.rows(voice, mean_f0_hz[voice.id], convert))
            print(voice.name, result[voice.id], flush=True)
    (options.work / "served.json").write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
