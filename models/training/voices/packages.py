"""Builds the packages in WORK/packages from the trained networks: graphs, indexes, pictures, demos, manifests.

    python -m voices.packages WORK [graphs indexes demos seal]
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import soundfile
import torch

from . import designs, export, targets, training_frames
from .decoder import EnvelopeNetwork
from .instruments import INSTRUMENTS
from .projection import Projection
from .texts import words  # noqa: F401  (finds the modules of the folder above)

import manifest  # noqa: E402  isort: skip
import picture  # noqa: E402  isort: skip
import reference  # noqa: E402  isort: skip
import retrieval_index  # noqa: E402  isort: skip
import speech  # noqa: E402  isort: skip

CONTENT_ID, F0_ID = "vocalhost.content-5", "vocalhost.f0-3"
INDEX_FRAMES = 7_000
INDEX_ROUNDS = 4
DEMO_TEXT = (
    "Every morning the lighthouse keeper watches the small boats leave, "
    "and every evening they come home with silver fish."
)
DEMO_PEAK = 0.8
COLOURS = {
    "Amber": ["#7a3e00", "#f0a030", "#ffe2a8"], "Linnet": ["#4a1430", "#d0607a", "#ffe0d0"],
    "Oak": ["#1f2d16", "#6b7f3a", "#d9c58b"], "Slate": ["#16212c", "#4f6f8a", "#c3d3dd"],
    "Flint": ["#241a20", "#7a4a55", "#dfb9ac"], "Mistral": ["#0d2a33", "#2f8f8a", "#d6f0d8"],
    "Wren": ["#2b1d10", "#9a6a3c", "#f2ddb8"], "Violin": ["#3a1208", "#b4521e", "#f7c98b"],
    "Flute": ["#1c2433", "#8fa5bd", "#f4f7fa"], "Saxophone": ["#2d2205", "#c69a1c", "#fff0b3"],
}  # fmt: skip


def seed_of_picture(name: str) -> int:
    """Another pattern for every name."""
    return sum((place + 1) * ord(letter) for place, letter in enumerate(name))


def load_decoder(work: Path, package_id: str) -> tuple[EnvelopeNetwork, torch.Tensor]:
    """A network of its own where the package was fine-tuned, else the base and the voice's style."""
    network = EnvelopeNetwork()
    own = work / f"{package_id}.pt"
    if own.exists():
        state = torch.load(own)
        network.load_state_dict(state["network"])
        return network, state["style"]
    state = torch.load(work / "base.pt")
    network.load_state_dict({k.removeprefix("network."): v for k, v in state.items() if k.startswith("network.")})
    slot = [voice.id for voice in designs.VOICES].index(package_id)
    return network, state["styles.weight"][slot]


def build_graphs(work: Path, folder: Path) -> None:
    """Every ONNX file."""
    export.content_graph(training_frames.load_content_network(work), folder / CONTENT_ID / "content.onnx")
    (folder / F0_ID).mkdir(parents=True, exist_ok=True)
    shutil.copy(work / "f0.onnx", folder / F0_ID / "f0.onnx")
    for package in (*designs.VOICES, *INSTRUMENTS):
        export.decoder_graph(*load_decoder(work, package.id), folder / package.id / "decoder.onnx")


def build_indexes(work: Path, folder: Path) -> None:
    """index.f16 of every voice and instrument, from its own sound; figures.json with mean pitch and level."""
    network = training_frames.load_content_network(work)
    figures = {}
    for voice in designs.VOICES:
        figures[voice.id] = {"mean_f0_hz": round(targets.mean_f0_hz(work, voice), 1), "level_rms": 0.06}
        figures[voice.id] |= _write_index(own_content(work, voice, network.network), folder / voice.id)
    for instrument in INSTRUMENTS:
        heard, pitches = [], []
        for wave, f0_hz in instrument_sounds(work, instrument.program):
            content = training_frames.hear(network, wave)[::2]
            sounds = (f0_hz[::2] > 0)[: len(content)]
            heard.append(content[: len(sounds)][sounds, :64])
            pitches.append(f0_hz[f0_hz > 0])
        shape = _write_index(np.concatenate(heard), folder / instrument.id)
        mean_hz = float(np.exp(np.log(np.concatenate(pitches)).mean()))
        figures[instrument.id] = {"mean_f0_hz": round(mean_hz, 1), "level_rms": 0.06} | shape
    (work / "figures.json").write_text(json.dumps(figures, indent=2) + "\n")


def own_content(work: Path, voice: designs.Voice, network: Projection) -> np.ndarray:
    """[N, 64]: what is heard of the voice's source where it has pitch; the rest is never retrieved. With the designed voice's own sound
    instead, conversions came no nearer to it (see README.md), and Whisper need not hear everything once more."""
    heard = []
    for path in targets.training_paths(work, voice, 240, 70):
        file = work / "whisper" / f"{path.stem}.wave.npy"
        if not file.exists():
            continue
        with np.load(path) as item:
            voiced = item["f0"][: len(item["labels"]) // 2 * 2].reshape(-1, 2).min(axis=1) > 0
        with torch.no_grad():
            content = network(torch.from_numpy(np.load(file).astype(np.float32))[None])[0][0].numpy()
        heard.append(content[voiced[: len(content)]])
    return np.concatenate(heard)


def instrument_sounds(work: Path, program: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training renders at 16 kHz and the reference level, with their pitch."""
    import soxr

    result = []
    for path in sorted((work / "music").glob(f"solo-{program}-[1-9].npz")):
        with np.load(path) as item:
            wave = soxr.resample(item["wave"].astype(np.float64), 32_000, 16_000)
            result.append((wave * (0.06 / reference.sounding_rms(wave)), item["f0"]))
    return result


def _write_index(frames: np.ndarray, folder: Path) -> dict[str, float]:
    """Writes the rows; how many there are, and how far they reach: the squared distance that nine in ten of the voice's own frames have
    from their nearest row."""
    # Voices that were designed from one source draw other frames of it.
    seed = retrieval_index.SEED + seed_of_picture(folder.name)
    generator = np.random.default_rng(seed)
    if len(frames) > INDEX_FRAMES:
        frames = frames[generator.choice(len(frames), INDEX_FRAMES, replace=False)]
    frames = frames.astype(np.float64)
    rows = retrieval_index.centroids(frames, rounds=INDEX_ROUNDS, seed=seed)
    retrieval_index.write(rows, folder / "index.f16")
    some = frames[:: max(1, len(frames) // 4_000)]
    distances = np.concatenate([_nearest(part, rows) for part in np.array_split(some, 16)])
    return {"index_rows": retrieval_index.ROWS, "reach": round(float(np.quantile(distances, 0.9)), 2)}


def _nearest(frames: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The squared distance of each frame from the nearest row."""
    squares = (frames**2).sum(1)[:, None] - 2.0 * frames @ rows.T + (rows**2).sum(1)
    return np.maximum(squares, 0.0).min(1)


def build_demos(work: Path, folder: Path) -> None:
    """demo.mp3 and picture.png: a sentence by another Flite voice, converted by the reference implementation."""
    figures = json.loads((work / "figures.json").read_text())
    for package in (*designs.VOICES, *INSTRUMENTS):
        picture.draw(seed_of_picture(package.name), COLOURS[package.name], folder / package.id / "picture.png")
        speaker_hz = designs.MEDIAN_HZ[package.demo_speaker]
        shift = round(12.0 * np.log2(figures[package.id]["mean_f0_hz"] / speaker_hz))
        said = np.pad(speech.flite(DEMO_TEXT, package.demo_speaker), 1600)
        converter = reference.VoiceConverter(folder, package.id)
        is_instrument = package in INSTRUMENTS
        wave = converter.convert(said, reference.Parameters(0.5, 0.5 if is_instrument else 1.0, float(shift)))
        wave *= DEMO_PEAK / np.abs(wave).max()
        soundfile.write(
            folder / package.id / "demo.mp3",
            wave,
            converter.rate_hz,
            format="MP3",
            bitrate_mode="CONSTANT",
            compression_level=0.75,
        )


def write_target_spectra(work: Path, path: Path) -> None:
    """The long-term spectrum of each designed voice, by its name, for models/evaluate."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "evaluate"))
    import metrics

    spectra = {}
    for voice in designs.VOICES:
        said = [targets.rendered(item, voice) for item in targets.training_paths(work, voice, 40, 0)]
        levels = metrics.long_term_spectrum_db(np.concatenate(said), 16_000)
        spectra[voice.name] = [round(float(level), 2) for level in levels]
    path.write_text(json.dumps(spectra) + "\n")


def seal(work: Path, folder: Path) -> None:
    """Every package.toml."""
    figures = json.loads((work / "figures.json").read_text()) if (work / "figures.json").exists() else {}
    manifest.seal(folder / CONTENT_ID, "content")
    manifest.seal(folder / F0_ID, "f0")
    for package in (*designs.VOICES, *INSTRUMENTS):
        values = manifest_values(package) | figures.get(package.id, {"mean_f0_hz": 150.0, "level_rms": 0.06, "index_rows": retrieval_index.ROWS, "reach": 1.0})
        measured = work / "metrics" / f"{package.id}.json"
        if measured.exists():
            values["level_rms"] = json.loads(measured.read_text())["figures"].get("level_rms", values["level_rms"])
        manifest.seal(folder / package.id, "voice", values)


ARCTIC = {"slt": "CMU ARCTIC, voice slt, as built into CMU Flite", "rms": "CMU ARCTIC, voice rms, as built into CMU Flite",
          "awb": "CMU ARCTIC, voice awb, as built into CMU Flite", "kal16": "CMU Flite, diphone voice kal"}  # fmt: skip
VOICE_CONSENT = (
    "The recordings behind the source voices were made for speech synthesis and published by Carnegie Mellon University "
    "for free use, modification and redistribution. Consent to voice conversion in particular is not documented. This "
    "voice is changed in formants, pitch and colour, carries none of the speakers' names and must not be presented as a "
    "real person."
)
INSTRUMENT_CONSENT = "No voice of a person is imitated: the sound is that of a sampled instrument."


def manifest_values(package) -> dict:
    """What the template in manifests/voice.toml asks for."""
    if package in INSTRUMENTS:
        return {
            "id": package.id,
            "name": package.name,
            "license": "MIT",
            "attribution": "Sound font FluidR3 GM by Frank Wen. Base of the model: CMU Flite voices, Carnegie Mellon "
            "University. Model: vocalhost authors. The notices in NOTICE must be kept.",
            "trained_on": f"Melodies generated by the project, played by FluidSynth with FluidR3 GM (program "
            f"{package.program}), on a base trained on generated speech of the CMU Flite voices slt, rms, awb and kal16.",
            "consent": INSTRUMENT_CONSENT,
            "tags": ["instrument", package.character],
            "instrument": "true",
        }
    return {
        "id": package.id,
        "name": package.name,
        "license": "LicenseRef-CMU-permissive",
        "attribution": f"Speech data: {ARCTIC[package.source]}, Carnegie Mellon University. Model: vocalhost authors. "
        "The notices in NOTICE must be kept.",
        "trained_on": f"Generated speech and singing: the CMU Flite voice {package.source} with changed formants, pitch "
        "and colour, on a base trained on the Flite voices slt, rms, awb and kal16. No recordings of people were used "
        "directly.",
        "consent": VOICE_CONSENT,
        "tags": [package.register, package.character, "designed"],
        "instrument": "false",
    }


def main(work: Path, steps: list[str]) -> None:
    """Runs the steps asked for, or all."""
    folder = work / "packages"
    all_steps = {"graphs": build_graphs, "indexes": build_indexes, "demos": build_demos, "seal": seal}
    for step in steps or all_steps:
        if step == "demos":
            seal(work, folder)
        all_steps[step](work, folder)
        print(f"{step} built", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
