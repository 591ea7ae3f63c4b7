"""Measures what storing the F0 network's weights as fp16 changes.

    python check_fp16.py --trained FOLDER --recordings FOLDER

Writes fp16_figures.json here, which the card quotes. Recordings: see models/evaluate/make_recordings.py.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import reference
import soundfile

HERE = Path(__file__).parent


def main() -> None:
    """Compares the pitch tracks of the trained graph and the shipped one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trained", type=Path, required=True)
    parser.add_argument("--recordings", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=HERE.parent)
    options = parser.parse_args()
    shipped = reference.Fundamental(reference.Package(options.models / "vocalhost.f0-1"))
    trained = reference.Fundamental(reference.Package(options.models / "vocalhost.f0-1"))
    trained.session = reference.open_session(options.trained / "f0_rmvpe_shaped.onnx")
    cents, changed = [], []
    for file in ("spoken.mp3", "sung.wav"):
        samples = reference.to_model_rate(*soundfile.read(options.recordings / file))
        samples = samples * (0.06 / reference.sounding_rms(samples))
        one, other = shipped.track(samples), trained.track(samples)
        both = (one > 0) & (other > 0)
        cents.append(np.abs(1200 * np.log2(one[both] / other[both])))
        changed.append((one > 0) != (other > 0))
    figures = {
        "fp16_cents": f"{np.median(np.concatenate(cents)):.3f}",
        "fp16_voicing": f"{100 * np.concatenate(changed).mean():.2f} %",
    }
    (HERE / "fp16_figures.json").write_text(json.dumps(figures, indent=2) + "\n")
    print(figures)


if __name__ == "__main__":
    main()
