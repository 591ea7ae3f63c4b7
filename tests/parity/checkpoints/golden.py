"""Makes `tests/fixtures/checkpoints/`: small checkpoints of each variant as torch saves them, and what torch's own run of the same
weights gives. Run it with the packages of `requirements.txt`:

    python tests/parity/checkpoints/golden.py
"""

import json
from pathlib import Path

import torch

from variants import PINNED, VARIANTS, checkpoint, inputs, random_voice

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "checkpoints"
FRAMES, LENGTH, EACH = 16, 15, 11


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
        audio = voice.infer(inputs(sizes, FRAMES, LENGTH)).flatten()
        golden[variant.name] = {
            "samples": audio.numel(),
            "inter": sizes.inter,
            "peak": round(float(audio.abs().max()), 6),
            "every": [float(f"{value:.7g}") for value in audio[::EACH].tolist()],
        }
    about = {"frames": FRAMES, "length": LENGTH, "each": EACH, "torch": torch.__version__}
    text = json.dumps({"about": about, "variants": golden}, separators=(",", ":"))
    (FOLDER / "golden.json").write_text(text + "\n")
    for name, entry in golden.items():
        print(name, "peak", entry["peak"], "bytes", (FOLDER / f"{name}.pth").stat().st_size)


if __name__ == "__main__":
    main()
