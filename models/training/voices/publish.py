"""Checks the gates, writes cards and notices, and publishes the packages.

    python -m voices.publish WORK MODELS

Nothing is written to MODELS, and the exit code is 1, when a figure is below its floor.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import torch

from . import designs, items, packages
from .instruments import INSTRUMENTS

import manifest  # noqa: E402  isort: skip

CARDS = Path(__file__).parent.parent / "cards"
NOTICES = Path(__file__).parent.parent / "notices"
TITLES = {
    "f0_error_cents": "F0 error, median (cents)",
    "identified_share": "identified as this voice among all and the sources (24-mixture GMM)",
    "mcd_db": "mel cepstral distortion to the parallel target (dB)",
    "phone_agreement_drop": "loss of phone agreement, by a separate recogniser",
    "silence_dbfs": "level in digital silence, without the server's gate (dBFS)",
    "spectrum_to_target_db": "long-term spectrum to a melody of the instrument (dB)",
}


def read_metrics(work: Path) -> dict[str, dict]:
    """By package id."""
    return {path.stem: json.loads(path.read_text()) for path in sorted((work / "metrics").glob("*.json"))}


MOST_LOST = 0.15
"""Share of real persons' words that a voice may cost at most, beyond those that are read wrongly in the sources."""


def lost_words(work: Path) -> list[str]:
    """Voices that cost too many words of real persons, by the figures that `models/evaluate/real.py` leaves in WORK/real."""
    file = work / "real" / "words.json"
    if not file.exists():
        return ["real persons: not measured"]
    return [
        f"{name}: {100 * line['share']:.1f} % of real persons' words are wrong, {100 * line['source']:.1f} % in the sources"
        for name, line in json.loads(file.read_text()).items()
        if line["share"] > line["source"] + MOST_LOST
    ]


def failures(work: Path, metrics: dict[str, dict]) -> list[str]:
    """What is missing or below its floor."""
    wanted = [packages.F0_ID, "blends", *(package.id for package in (*designs.VOICES, *INSTRUMENTS))]
    found = [f"{name}: not measured" for name in wanted if name not in metrics]
    found += lost_words(work)
    for name, result in metrics.items():
        found += [
            f"{name}: {gate['figure']} is {gate['value']}, floor {gate['floor']}"
            for gate in result["gates"]
            if not gate["passes"]
        ]
    return found


def gate_rows(result: dict) -> str:
    """Markdown rows of figure, value, target."""
    return "\n".join(
        f"| {TITLES[gate['figure']]} | {gate['value']:g} | {gate['target']:g}"
        f"{'' if gate['reaches_target'] else ' (not reached)'} |"
        for gate in result["gates"]
    )


def write_texts(work: Path, folder: Path, metrics: dict[str, dict]) -> None:
    """card.md, NOTICE and metrics.json of every package."""
    whisper = json.loads((work / "whisper.json").read_text())
    content = json.loads((work / "projection_training.json").read_text())
    together = work / "together_training.json"
    if together.exists():
        further = json.loads(together.read_text())
        content |= further | {"cpu_s": content["cpu_s"] + further["cpu_s"]}
    gate = work / "gate_training.json"
    gated = {"gate": json.loads(gate.read_text())} if gate.exists() else {}
    minutes = 0.0
    for path in items.paths(work, "train-"):
        with items.np.load(path) as item:
            minutes += len(item["labels"]) * (2 if "twin" in item else 1) / 6000
    weights = sum(values.numel() for values in torch.load(work / "projection.pt").values())
    values = {
        "cpu_s": content["cpu_s"], "minutes": round(minutes), "slt": content["spoken-slt"]["named"],
        "kal": content["spoken-kal16"]["named"], "formant": content["spoken-en-us"]["named"], "ked": content["spoken-ked"]["named"],
        "slt_hts": content["spoken-slt_hts"]["named"], "sung": content["sung-ked"]["named"],
        "packages": ", ".join(f"`{name}`" for name in whisper["packages"]), "version": whisper["version"],
        "digests": ", ".join(whisper["packages"].values()), "projection_weights": f"{weights:,}",
    }  # fmt: skip
    write(folder / packages.CONTENT_ID, "content", values, ("whisper", "flite", "kal"))
    store(folder / packages.CONTENT_ID, content | gated | {"whisper": whisper})
    pitch = metrics[packages.F0_ID]
    figures = pitch["figures"]
    cases = {"clean_singing": "singing alone", "mix_10_db": "singing, backing 10 dB below",
             "mix_0_db": "singing, backing as loud", "clean_speech": "speech alone"}  # fmt: skip
    rows = "\n".join(
        f"| {title} | {100 * figures[f'{case}_rpa50']:.1f} % | {figures[f'{case}_cents']:.1f} cents | "
        f"{100 * figures[f'{case}_voicing_error']:.1f} % |"
        for case, title in cases.items()
    )
    origin = json.loads((work / "f0.json").read_text())
    write(folder / packages.F0_ID, "f0", origin | {"rows": rows}, ("fcpe",))
    store(folder / packages.F0_ID, pitch | {"origin": origin})
    own = json.loads((work / "figures.json").read_text())
    blends = metrics["blends"]["figures"]
    for package in (*designs.VOICES, *INSTRUMENTS):
        result = metrics[package.id]
        values = packages.manifest_values(package) | own[package.id] | vars(package)
        values |= {"rows": gate_rows(result), "conversions": result["figures"]["conversions"]}
        values["tag_list"] = ", ".join(values["tags"])
        if package in INSTRUMENTS:
            write(folder / package.id, "instrument", values, ("flite", "kal", "fluid"))
            store(folder / package.id, result)
        else:
            write(folder / package.id, "voice", values | vars(package.design), ("flite", "kal"))
            store(folder / package.id, result | {"blends_of_all_voices": blends})


def write(folder: Path, card: str, values: dict, notices: tuple[str, ...]) -> None:
    """card.md and NOTICE."""
    (folder / "card.md").write_text((CARDS / f"{card}.md").read_text().format_map(values))
    (folder / "NOTICE").write_text("".join((NOTICES / f"{name}.txt").read_text() for name in notices))


def store(folder: Path, result: dict) -> None:
    """metrics.json."""
    (folder / "metrics.json").write_text(json.dumps(result, indent=1) + "\n")


def main(work: Path, models: Path) -> int:
    """The exit code."""
    metrics = read_metrics(work)
    found = failures(work, metrics)
    if found:
        print("not published:", *found, sep="\n  ")
        return 1
    folder = work / "packages"
    write_texts(work, folder, metrics)
    packages.seal(work, folder)
    for package in sorted(folder.iterdir()):
        if (models / package.name).exists():
            shutil.rmtree(models / package.name)
        shutil.copytree(package, models / package.name)
    if (models / "evaluate").is_dir():
        packages.write_target_spectra(work, models / "evaluate" / "targets.json")
    total = sum(file.stat().st_size for package in folder.iterdir() for file in package.iterdir())
    print(f"published {len(list(folder.iterdir()))} packages, {total / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
