"""Builds the starter packages in models/ from trained decoders.

    python build_packages.py --trained FOLDER [--models ../] [steps ...]

Steps, in order: graphs, index, measure, pictures, demos, cards, seal. Without a step all of them run. `measure` writes
what it finds to figures.json here, which the cards and manifests are filled from. Needs the Debian packages flite and
espeak-ng.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path

import card
import decoder_graph
import demo
import manifest
import measure
import numpy as np
import onnx
import picture
import reference
import retrieval_index

HERE = Path(__file__).parent
FIGURES = HERE / "figures.json"
STEPS = ("graphs", "index", "measure", "pictures", "demos", "cards", "seal")


def build_graphs(trained: Path, models: Path, voices: list[dict]) -> None:
    """Writes content.onnx, f0.onnx and each voice's decoder.onnx."""
    content = onnx.load(trained / "vc_content_fp16.onnx")
    _save(content, models / "vocalhost.content-1" / "content.onnx")
    fundamental = onnx.load(trained / "f0_rmvpe_shaped.onnx")
    decoder_graph.store_as_fp16(fundamental)
    _save(fundamental, models / "vocalhost.f0-1" / "f0.onnx")
    for voice in voices:
        parts = []
        for part in voice["parts"]:
            model = onnx.load(trained / part["decoder"])
            decoder_graph.fix_speaker(model, part["speaker"])
            parts.append(model)
        model = decoder_graph.average(parts, [part["share"] for part in voice["parts"]])
        decoder_graph.add_phase_input(model)
        _save(model, models / voice["id"] / "decoder.onnx")


def build_indexes(models: Path, voices: list[dict]) -> None:
    """Writes each voice's index.f16."""
    encoder = reference.ContentEncoder(models / "vocalhost.content-1" / "content.onnx")
    level = tomllib.loads((manifest.HEADS / "content.toml").read_text())["normalize"]["rms"]
    heard: dict[str, np.ndarray] = {}
    for voice in voices:
        for source in voice["sources"]:
            if source not in heard:
                heard[source] = retrieval_index.spoken_content(encoder, level, source)
        frames = np.concatenate([heard[source] for source in voice["sources"]])
        retrieval_index.write(retrieval_index.centroids(frames), models / voice["id"] / "index.f16")
        print(f"{voice['id']}: index of {len(frames)} frames", flush=True)


def measure_voices(models: Path, voices: list[dict]) -> None:
    """Writes figures.json here and the target spectra that the evaluation compares with."""
    seal_packages(models, voices)
    heard = {source: measure.source_figures(source) for voice in voices for source in voice["sources"]}
    figures, targets = {}, {}
    for voice in voices:
        pitches_hz, spectra = zip(*(heard[source] for source in voice["sources"]), strict=True)
        figures[voice["id"]] = {
            "mean_f0_hz": round(float(np.exp(np.mean(np.log(pitches_hz)))), 1),
            "level_rms": round(measure.speaking_level(models, voice), 4),
        }
        targets[voice["name"]] = [round(float(level), 2) for level in np.mean(spectra, axis=0)]
    FIGURES.write_text(json.dumps(figures, indent=2) + "\n")
    (HERE.parent / "evaluate" / "targets.json").write_text(json.dumps(targets) + "\n")


def draw_pictures(models: Path, voices: list[dict]) -> None:
    """Writes each voice's picture.png."""
    for voice in voices:
        picture.draw(voice["picture_seed"], voice["picture_colours"], models / voice["id"] / "picture.png")


def make_demos(models: Path, voices: list[dict]) -> None:
    """Writes each voice's demo.mp3."""
    seal_packages(models, voices)
    figures = json.loads(FIGURES.read_text())
    for voice in voices:
        demo.make(models, voice, figures, demo.speakers_f0_hz(voices, figures), models / voice["id"] / "demo.mp3")


def seal_packages(models: Path, voices: list[dict]) -> None:
    """Writes every package.toml."""
    manifest.seal(models / "vocalhost.content-1", "content")
    manifest.seal(models / "vocalhost.f0-1", "f0")
    figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    for voice in voices:
        values = {**voice, **figures.get(voice["id"], {"level_rms": 0.06, "mean_f0_hz": 150.0})}
        manifest.seal(models / voice["id"], "voice", values)


def _save(model: onnx.ModelProto, path: Path) -> None:
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, path)


def main() -> None:
    """Runs the steps asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trained", type=Path, help="folder of the trained graphs (for the step graphs)")
    parser.add_argument("--models", type=Path, default=HERE.parent)
    parser.add_argument("steps", nargs="*", choices=[[], *STEPS])
    options = parser.parse_args()
    steps = options.steps or STEPS
    voices = tomllib.loads((HERE / "voices.toml").read_text())["voice"]
    if "graphs" in steps:
        build_graphs(options.trained, options.models, voices)
    if "index" in steps:
        build_indexes(options.models, voices)
    if "measure" in steps:
        measure_voices(options.models, voices)
    if "pictures" in steps:
        draw_pictures(options.models, voices)
    if "demos" in steps:
        make_demos(options.models, voices)
    if "cards" in steps:
        card.write_all(options.models, voices, FIGURES)
    if "seal" in steps:
        seal_packages(options.models, voices)


if __name__ == "__main__":
    main()
