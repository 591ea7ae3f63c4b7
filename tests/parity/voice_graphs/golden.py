"""Makes `tests/fixtures/voice_graphs/`: a small voice in w-okada's form, in single and in half precision, and what torch's own run
of the same weights gives. Run it with the packages of `tests/parity/requirements.txt`:

    python tests/parity/voice_graphs/golden.py
"""

import json
from pathlib import Path

import torch

from forms import FORMS, inputs, voice_of, write

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "voice_graphs"
PINNED = ["w-okada-v1-40k-f0", "w-okada-v1-40k-f0-half"]
# As many frames as exporters trace with, and another number.
RUNS = [(64, 64), (30, 29)]
EACH = 37
SEED = 3


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    golden = {}
    for form in FORMS:
        if form.name not in PINNED:
            continue
        # Both have the same weights, those of the half precision.
        voice = voice_of(form, SEED).half().float()
        write(form, voice, FOLDER / f"{form.name}.onnx")
        golden[form.name] = []
        for frames, length in RUNS:
            audio = voice.infer(inputs(form.sizes(), frames, length)).flatten()
            golden[form.name].append({
                "frames": frames,
                "length": length,
                "inter": form.sizes().inter,
                "samples": audio.numel(),
                "every": [float(f"{value:.7g}") for value in audio[::EACH].tolist()],
            })
    about = {"each": EACH, "torch": torch.__version__}
    text = json.dumps({"about": about, "variants": golden}, separators=(",", ":"))
    (FOLDER / "golden.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
