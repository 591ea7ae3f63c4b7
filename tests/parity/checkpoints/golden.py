"""Makes `tests/fixtures/checkpoints/`: small checkpoints of each variant as torch saves them, and what torch's own run of the
same weights gives. Run it with the packages of `tests/parity/requirements.txt`:

    python tests/parity/checkpoints/golden.py
"""

import json
from pathlib import Path

import torch

from variants import PINNED, VARIANTS, checkpoint, inputs, random_voice

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "checkpoints"
# Longer than what the attention's relative positions reach, with a frame that is masked; and shorter than it.
RUNS = [(16, 15), (3, 3)]
EACH = 11


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    golden = {}
    for seed, variant in enumerate(VARIANTS):
        if variant.name not in PINNED:
            continue
        sizes = variant.sizes.tiny()
        variant = type(variant)(variant.name, sizes, variant.form, variant.facts)
        voice = random_voice(sizes, seed)
        torch.save(checkpoint(variant, voice), FOLDER / f"{variant.name}.pth")
        golden[variant.name] = []
        for frames, length in RUNS:
            audio = voice.infer(inputs(sizes, frames, length)).flatten()
            golden[variant.name].append({
                "frames": frames,
                "length": length,
                "inter": sizes.inter,
                "samples": audio.numel(),
                "every": [float(f"{value:.7g}") for value in audio[::EACH].tolist()],
            })
    about = {"each": EACH, "torch": torch.__version__}
    text = json.dumps({"about": about, "variants": golden}, separators=(",", ":"))
    (FOLDER / "golden.json").write_text(text + "\n")
    for name in golden:
        print(name, (FOLDER / f"{name}.pth").stat().st_size, "bytes")


if __name__ == "__main__":
    main()
