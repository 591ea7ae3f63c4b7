"""What real persons get: gathers recordings, converts them, and measures words, likeness and pitch, and what becomes of sounds that are
no plain speech. One command for all.

    python real.py FOLDER --url http://127.0.0.1:8080/api/v1 --key KEY [--write real-persons.md] [--pictures FOLDER]
    python real.py FOLDER --reference [--models MODELS]

What is in FOLDER already is not made again. `--write` replaces what stands behind the mark in a page.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

import converted
import likeness
import numpy as np
import people
import pitch
import trial
import wrong_words

MARK = "<!-- figures -->"
STRENGTHS = ("0", converted.STANDARD, "1")


def percent(share: float) -> str:
    """With a decimal."""
    return f"{100 * share:.1f} %"


def table(headings: list[str], rows: list[list[str]]) -> str:
    """Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def words_table(folder: Path, recogniser: str) -> str:
    """Wrong words of the sources, and of each voice at each strength: the share, and how many points it is over the same takes' sources."""
    found = wrong_words.figures(folder, recogniser, list(STRENGTHS))
    if recogniser == "whisper":
        (folder / "words.json").write_text(json.dumps(found, indent=1) + "\n")
    source = found.pop("source")
    voices = list(dict.fromkeys(name.rsplit(" ", 1)[0] for name in found))
    rows = [[voice, *(_wrong([found.get(f"{voice} {way}")]) for way in STRENGTHS)] for voice in voices]
    rows.append(["mean", *(_wrong([found.get(f"{voice} {way}") for voice in voices]) for way in STRENGTHS)])
    of_persons = ", ".join(f"{person} {percent(share)}" for person, share in source["persons"].items())
    head = f"Read by {recogniser}: {percent(source['share'])} of {source['words']} words are wrong in the sources ({of_persons}).\n\n"
    return head + table(["voice", *(f"strength {way}" for way in STRENGTHS)], rows)


def _wrong(lines: list[dict | None]) -> str:
    lines = [line for line in lines if line]
    if not lines:
        return "–"
    share, source = (float(np.mean([line[key] for line in lines])) for key in ("share", "source"))
    return f"{percent(share)} ({100 * (share - source):+.1f})"


def persons_table(folder: Path) -> str:
    """Who loses how many words at the default strength, as a mean over the voices, by the first recogniser."""
    found = wrong_words.figures(folder, "whisper", [converted.STANDARD])
    source = found.pop("source")["persons"]
    rows = []
    for person, share in source.items():
        shares = [line["persons"][person] for line in found.values() if person in line["persons"]]
        rows.append([person, percent(share), percent(float(np.mean(shares))) if shares else "–"])
    return table(["person", "source", f"mean of the voices, strength {converted.STANDARD}"], rows)


def likeness_table(folder: Path) -> str:
    """With the pitch in the voice's register."""
    lines = likeness.figures(folder, converted.REGISTER)
    keys = ("own", "source", "between persons", "between voices")
    rows = [[line["voice"], *(f"{line[key]:.2f}" for key in keys)] for line in lines]
    if lines:
        rows.append(["mean", *(f"{np.mean([line[key] for line in lines]):.2f}" for key in keys)])
    return table(["voice", "to its own demo", "to the source", "persons in this voice to each other", "persons in other voices"], rows)


def pitch_table(folder: Path, models: Path) -> str:
    """The packaged estimator against two others, and results against their sources."""

    def row(name: str, line: dict) -> list[str]:
        return [name, *(percent(line[key]) for key in ("missed", "added", "gross", "octaves")), f"{line['cents']:.1f}"]

    rows = [row(f"the estimator against {judge}", line) for judge, line in pitch.of_sources(folder, pitch.packaged(models)).items()]
    rows += [row(f"{line['voice']} against its source", line) for line in pitch.of_results(folder, converted.STANDARD)]
    return table(["pitch", "voiced, not heard", "unvoiced, heard", "over 50 cents off", "octaves", "median (cents)"], rows)


def trials_table(folder: Path) -> str:
    """The mean and the worst of the voices."""
    by_trial: dict[str, list[dict]] = {}
    for line in trial.figures(folder):
        by_trial.setdefault(line["trial"], []).append(line)

    def cell(lines: list[dict], key: str, form) -> str:
        values = [line[key] for line in lines if line[key] is not None]
        return f"{form(float(np.mean(values)))} / {form(max(values))}" if values else "–"

    decibels = "{:.1f}".format
    rows = [
        [
            name,
            decibels(lines[0]["pause in the source"]) if lines[0]["pause in the source"] is not None else "–",
            *(cell(lines, key, decibels) for key in ("pause", "louder", "jump")),
            *(cell(lines, key, percent) for key in ("gone", "added", "octaves")),
        ]
        for name, lines in by_trial.items()
    ]
    headings = [
        "sound", "pauses of the source (dBFS)", "pauses (dBFS)", "frame over its surroundings (dB)", "rise within 50 ms over the source's (dB)",
        "voiced in the source, gone", "unvoiced, spoken", "octaves",
    ]  # fmt: skip
    return table(headings, rows)


def pictures_list(folder: Path, target: Path, page: Path | None) -> str:
    """Links to the spectrograms, which are made."""
    made = trial.pictures(folder, target)
    start = page.parent if page else Path()
    links = [f"{name}:\n\n![{name}]({os.path.relpath(picture, start)})" for name, picture in made]
    return f"Source above, {trial.PICTURED} below, 0 to 8 kHz:\n\n" + "\n\n".join(links)


def page(folder: Path, options: argparse.Namespace) -> str:
    """All figures."""
    persons = ", ".join(dict.fromkeys(take.person for take in converted.takes(folder)))
    through = "the implementation in numpy" if options.reference else "a running server"
    parts = [f"Measured on {datetime.date.today()} through {through}; persons: {persons}."]
    parts += ["### Words\n\nWrong words, and in brackets how many points more than in the sources of the same takes."]
    parts += [words_table(folder, name) for name in wrong_words.RECOGNISERS]
    parts += [persons_table(folder), "### Likeness, with autoPitch", likeness_table(folder)]
    parts += ["### Pitch", pitch_table(folder, options.models)]
    parts += ["### Sounds that are no plain speech\n\nMean and worst of the voices, strength 0.5.", trials_table(folder)]
    if options.pictures:
        parts.append(pictures_list(folder, options.pictures, options.write))
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Does what is missing, and prints or writes the page."""
    parser = converted.parser(__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--pictures", type=Path, help="a folder for spectrograms")
    options = parser.parse_args()
    if not (options.folder / "takes.json").exists():
        people.main(options.folder)
    command = [sys.executable, str(Path(__file__).with_name("converted.py")), str(options.folder), "--models", str(options.models)]
    command += ["--reference"] if options.reference else ["--url", options.url, "--key", options.key]
    command += ["--voices", ",".join(options.voices)] if options.voices else []
    subprocess.run(command, check=True)
    trial.convert(options.folder, options)
    text = page(options.folder, options)
    if options.write:
        head = options.write.read_text().split(MARK)[0]
        options.write.write_text(f"{head}{MARK}\n\n{text}")
    else:
        print(text)


if __name__ == "__main__":
    main()
