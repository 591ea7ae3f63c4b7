"""Makes `tests/fixtures/vr/`: small VR models, the masks of their networks, and what python-audio-separator makes of a recording with them.

    python tests/parity/vr/golden.py
"""

import json
import tempfile
from pathlib import Path

import numpy
import torch

import original
from cases import CASES
from waves import recording

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "vr"
# Every so many numbers of a mask and samples of a stem are kept.
EACH_OF_MASK, EACH_OF_STEM = 211, 97


def kept(values, each):
    return [float(f"{value:.7g}") for value in numpy.asarray(values, dtype=numpy.float64).flatten()[::each]]


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    variants = {}
    for seed, case in enumerate(CASES.values()):
        if not case.golden:
            continue
        network = original.varied(case.small(), seed)
        # In half precision, which the network is given too.
        network.half().float()
        torch.save({name: tensor.half() if tensor.is_floating_point() else tensor for name, tensor in network.state_dict().items()}, FOLDER / f"{case.golden}.pth")
        given = original.parameters(case.bands).param
        bins, last = given["bins"], given["band"][len(given["band"])]
        count = 2 * bins * case.window
        places = numpy.arange(count, dtype=numpy.float64)
        magnitudes = numpy.abs(numpy.sin(0.37 * places) * numpy.cos(0.0113 * places)).astype(numpy.float32)
        bent = dict(stem=case.stem, aggression=case.aggression, turned=case.turned)
        mask = original.mask_of(network, case.bands, magnitudes.reshape(2, bins, case.window), **bent)
        frames = case.window - 2 * network.offset
        sound = recording(frames * last["hl"], last["sr"])
        with tempfile.TemporaryDirectory() as folder:
            stem = original.separated(network, case.bands, sound, Path(folder), window=case.window, **bent)
        variants[case.golden] = {
            "facts": {name: str(value) for name, value in case.facts.items()},
            "shape": [1, 2, bins, case.window],
            "mask": {"each": EACH_OF_MASK, "given": kept(mask, EACH_OF_MASK)},
            "frames": frames * last["hl"],
            "rate": last["sr"],
            "stem": {"each": EACH_OF_STEM, "length": int(stem.shape[1]), "given": [kept(side, EACH_OF_STEM) for side in stem]},
        }
    text = json.dumps({"about": {"original": "python-audio-separator 0.47.1", "torch": torch.__version__}, "variants": variants}, separators=(",", ":"))
    (FOLDER / "golden.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
