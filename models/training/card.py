"""Writes the cards and notices of the packages from cards/ and notices/, filled with the measured figures."""

from __future__ import annotations

import json
from pathlib import Path

import retrieval_index

HERE = Path(__file__).parent
EVALUATION = HERE / "reference_evaluation.json"
FP16 = HERE / "fp16_figures.json"
FESTIVAL_VOICES = "czech_dita, czech_ph, suo_fi_lj, hy_fi_mv, lp, telugu_NSK, msu_ru_nsh, upc_ca_ona"


def write_all(models: Path, voices: list[dict], figures_file: Path) -> None:
    """card.md and NOTICE of every package."""
    figures = json.loads(figures_file.read_text())
    evaluation = json.loads(EVALUATION.read_text())
    for voice in voices:
        rows = "\n".join(_row(row) for row in evaluation if row["voice"] == voice["name"])
        minutes = round(retrieval_index.SPEECH_S / 60 * len(voice["sources"]))
        values = {
            **voice,
            **figures[voice["id"]],
            "tag_list": ", ".join(voice["tags"]),
            "source_list": " and ".join(voice["sources"]),
            "index_minutes": minutes,
            "rows": rows,
        }
        _write(models / voice["id"], "voice", values)
    _write(models / "vocalhost.content-1", "content", {})
    _write(models / "vocalhost.f0-1", "f0", {**json.loads(FP16.read_text()), "festival_voices": FESTIVAL_VOICES})


def _write(folder: Path, card: str, values: dict) -> None:
    (folder / "card.md").write_text((HERE / "cards" / f"{card}.md").read_text().format_map(values))
    notices = [(HERE / "notices" / name).read_text() for name in ("flite.txt", "kal.txt")]
    (folder / "NOTICE").write_text("".join(notices))


def _row(row: dict) -> str:
    cells = [
        row["recording"],
        f"{row['shift']:+d}" if row["shift"] else "0",
        f"{row['f0_error_cents']:.1f}",
        f"{row['source_distance_db']:.1f}",
        f"{row['result_distance_db']:.1f}",
    ]
    return "| " + " | ".join(cells) + " |"
