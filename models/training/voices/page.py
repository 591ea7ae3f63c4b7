"""Writes the figures of all packages as one Markdown page.

    python -m voices.page WORK docs/measurements/starter-voices.md
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from . import designs, packages
from .instruments import INSTRUMENTS
from .publish import read_metrics

HEAD = """# The starter voices, measured

By `models/training/voices/evaluate.py` on generated, held-out sound: sentences and songs by speakers that no network had
heard (festival's ked and slt_hts, two variants of espeak-ng), converted at conversionStrength 0.5 by the reference
implementation with the packaged pitch network, before the server's pitch refinement, volume mix and gate. Nobody's
listening is in these figures. To repeat them: `python models/training/train_all.py WORK voices --from evaluate`.

F0 error: median over conversions of the median over frames, against the generator's or WORLD's pitch of the source.
Identified: by 24-mixture models of all seven voices and the four sources. MCD: at 16 kHz, 24 mel cepstral coefficients
without the zeroth, along the best warping path, to the same sentence by the voice's Flite source, designed as the voice
is; in brackets the unconverted source. Of each speaker's ten sentences the three are taken whose phones agree best with
Flite's: the programs pronounce some words otherwise, and then the target says something else. Phones: share of 20 ms frames
that a separate recogniser hears as what was said, in the sources and in the results.
"""

SERVED = """Through `voices/served.py`: pitch refined, in segments, modelVolumeMix 1; sources and results at 32 kHz."""


def table(headings: list[str], rows: list[list]) -> str:
    """Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def voice_rows(metrics: dict[str, dict]) -> list[list]:
    """One for each voice."""
    rows = []
    for voice in designs.VOICES:
        own = metrics[voice.id]["figures"]
        rows.append(
            [
                f"{voice.name} ({voice.register})",
                own["conversions"],
                f"{own['f0_error_cents_spoken']:.1f} / {own['f0_error_cents_sung']:.1f}",
                f"{100 * own['identified_share']:.0f} %",
                f"{own['mcd_db']:.2f} ({own['mcd_unconverted_db']:.1f})",
                f"{own['phone_agreement_before']:.3f} → {own['phone_agreement_after']:.3f}",
                f"{own['silence_dbfs']:.0f}",
            ]
        )
    return rows


def served_rows(served: dict[str, dict]) -> list[list]:
    """One for each voice, of what a running server made."""
    rows = []
    for voice in designs.VOICES:
        own = served[voice.id]
        cents = (f"{own[key]:.1f}" for key in ("f0_error_cents", "f0_error_cents_spoken", "f0_error_cents_sung"))
        identified, lost = f"{100 * own['identified_share']:.0f} %", f"{own['phone_agreement_drop']:.3f}"
        rows.append([voice.name, *cents, identified, f"{own['mcd_db']:.2f}", lost])
    return rows


def main(work: Path, path: Path) -> None:
    """Writes the page."""
    metrics = read_metrics(work)
    headings = ["voice", "conversions", "F0 error, spoken / sung (cents)", "identified", "MCD (dB)", "phones", "silence (dBFS)"]
    parts = [HEAD, table(headings, voice_rows(metrics))]
    served = work / "served.json"
    if served.exists() and served.stat().st_mtime > (work / "base.pt").stat().st_mtime:
        headings = ["voice", "F0 error (cents)", "spoken", "sung", "identified", "MCD (dB)", "phones lost"]
        parts += ["## The same through a running server", SERVED, table(headings, served_rows(json.loads(served.read_text())))]
    rows = [
        [package.name, *(metrics[package.id]["figures"][key] for key in ("f0_error_cents", "spectrum_to_target_db", "spectrum_unconverted_db", "silence_dbfs"))]
        for package in INSTRUMENTS
    ]
    headings = ["instrument", "F0 error (cents)", "spectrum to the instrument's (dB)", "unconverted (dB)", "silence (dBFS)"]
    parts += ["## Instruments, from singing", table(headings, rows)]
    parts += ["## Blends of the voices", table(["figure", "value"], list(metrics["blends"]["figures"].items()))]
    parts += ["## Pitch network", table(["figure", "value"], list(metrics[packages.F0_ID]["figures"].items()))]
    trained = json.loads((work / "together_training.json").read_text())
    heard = [[name, figures["named"], figures["apart"]] for name, figures in trained.items() if isinstance(figures, dict)]
    headings = ["sentences not trained on", "phones named rightly", "mean square distance from the small encoder's content"]
    parts += ["## Content encoder, by its own training heads", table(headings, heard)]
    missed = [
        [name, gate["figure"], gate["value"], gate["target"]]
        for name, result in metrics.items()
        for gate in result["gates"]
        if not gate["reaches_target"]
    ]
    if missed:
        parts += ["## Not reached yet", table(["package", "figure", "value", "wanted"], missed)]
    path.write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
