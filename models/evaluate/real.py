"""What real persons get: gathers recordings, converts them, and measures words, likeness and pitch. One command for all.

    python real.py FOLDER --url http://127.0.0.1:8080/api/v1 --key KEY [--write real-persons.md]
    python real.py FOLDER --reference [--models MODELS]

What is in FOLDER already is not made again. `--write` replaces what stands behind the mark in a page.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
from pathlib import Path

import converted
import likeness
import paths
import people
import pitch
import words

MARK = "<!-- figures -->"
STRENGTH = 0.5
"""At which likeness and pitch are measured: the default."""


def percent(share: float) -> str:
    """With a decimal."""
    return f"{100 * share:.1f} %"


def table(headings: list[str], rows: list[list[str]]) -> str:
    """Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def words_table(folder: Path, recogniser: str) -> str:
    """Wrong words of the sources, and of each voice at each strength."""
    found = words.figures(folder, recogniser, list(converted.STRENGTHS))
    if recogniser == "whisper":
        (folder / "words.json").write_text(json.dumps(found, indent=1) + "\n")
    source = found.pop("source")
    voices = list(dict.fromkeys(name.rsplit(" ", 1)[0] for name in found))
    cell = lambda name: percent(found[name]["share"]) if name in found else "–"  # noqa: E731
    rows = [[voice, *(cell(f"{voice} {strength:g}") for strength in converted.STRENGTHS)] for voice in voices]
    mean = ["mean"]
    for strength in converted.STRENGTHS:
        shares = [found[f"{voice} {strength:g}"]["share"] for voice in voices if f"{voice} {strength:g}" in found]
        mean.append(percent(sum(shares) / len(shares)) if shares else "–")
    head = f"By {recogniser}: {percent(source['share'])} of {source['words']} words are wrong in the sources; in the results:\n\n"
    return head + table(["voice", *(f"strength {strength:g}" for strength in converted.STRENGTHS)], [*rows, mean])


def page(folder: Path, models: Path) -> str:
    """All figures."""
    takes = converted.takes(folder)
    persons = ", ".join(dict.fromkeys(take.person for take in takes))
    parts = [f"Measured on {datetime.date.today()}; persons: {persons}.", *(words_table(folder, name) for name in words.RECOGNISERS)]
    rows = [
        [line["voice"], *(f"{line[key]:.2f}" for key in ("own", "source", "between persons", "between voices"))]
        for line in likeness.figures(folder, STRENGTH)
    ]
    headings = ["voice", "to its own demo", "to the source", "persons in this voice to each other", "persons in other voices"]
    parts.append("Likeness:\n\n" + table(headings, rows))
    rows = [
        [f"the estimator against {judge}", *(percent(line[key]) for key in ("missed", "added", "gross", "octaves")), f"{line['cents']:.1f}"]
        for judge, line in pitch.of_sources(folder, pitch.packaged(models)).items()
    ]
    rows += [
        [f"{line['voice']} against its source", *(percent(line[key]) for key in ("missed", "added", "gross", "octaves")), f"{line['cents']:.1f}"]
        for line in pitch.of_results(folder, STRENGTH)
    ]
    headings = ["pitch", "voiced, not heard", "unvoiced, heard", "over 50 cents off", "octaves", "median (cents)"]
    parts.append("Pitch:\n\n" + table(headings, rows))
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Does what is missing, and prints or writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=Path, default=paths.MODELS)
    parser.add_argument("--write", type=Path)
    options, others = parser.parse_known_args()
    if not (options.folder / "takes.json").exists():
        people.main(options.folder)
    command = [sys.executable, str(Path(__file__).with_name("converted.py")), str(options.folder), "--models", str(options.models)]
    subprocess.run([*command, *others], check=True)
    text = page(options.folder, options.models)
    if options.write:
        head = options.write.read_text().split(MARK)[0]
        options.write.write_text(f"{head}{MARK}\n\n{text}")
    else:
        print(text)


if __name__ == "__main__":
    main()
