"""Measures the voices: sends recordings to a running server and compares what comes back with what went in.

    python evaluate.py --recordings FOLDER --url http://127.0.0.1:8080/api/v1 --key KEY [--write conversion.md]
    python evaluate.py --recordings FOLDER --reference          the reference implementation in models/training instead

FOLDER is made by make_recordings.py. For every voice of the catalogue, both recordings and two pitch shifts: the median
error of the fundamental, the distance of the long-term spectrum to the target's before and after, the level where the
source is silent, and the length. Prints a Markdown table. Only the voices in targets.json have a target spectrum.
"""

from __future__ import annotations

import argparse
import datetime
import io
import json
import math
import sys
import time
import urllib.parse
import urllib.request
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path

import metrics
import numpy as np
import paths
import soundfile
import tracking

HERE = Path(__file__).parent
RECORDINGS = ("spoken.mp3", "sung.wav")
PITCH_SHIFTS = (0, 3)
POLL_S = 0.5
PATIENCE_S = 600.0
"""A conversion of half a minute takes seconds; ten minutes mean that something is wrong."""
MARK = "<!-- figures -->"


@dataclass
class Row:
    """The figures of one conversion."""

    voice: str
    recording: str
    shift: int
    f0_error_cents: float
    voiced_share: float
    source_distance_db: float
    result_distance_db: float
    nearest: str
    silence_dbfs: float
    length_equal: bool

    def cells(self) -> list[str]:
        """The table's cells."""
        silence = (
            "none" if math.isnan(self.silence_dbfs) else f"{self.silence_dbfs:.0f}".replace("-inf", "digital silence")
        )
        return [
            self.voice,
            self.recording,
            f"{self.shift:+d}" if self.shift else "0",
            f"{self.f0_error_cents:.1f}",
            f"{100 * self.voiced_share:.0f} %",
            # An instrument has no target, and so none that it could be nearest to.
            *(
                ("–", "–", "–")
                if math.isnan(self.result_distance_db)
                else (f"{self.source_distance_db:.1f}", f"{self.result_distance_db:.1f}", self.nearest)
            ),
            silence,
            "yes" if self.length_equal else "NO",
        ]


HEADINGS = [
    "voice", "recording", "shift (semitones)", "F0 error, median (cents)", "voiced frames compared",
    "spectrum: source to target (dB)", "spectrum: result to target (dB)", "nearest target",
    "level in silence (dBFS)", "length equal",
]  # fmt: skip


class Server:
    """A running vocalhost server."""

    def __init__(self, url: str, key: str, strength: float, volume_mix: float):
        self.url = url.rstrip("/")
        self.key = key
        self.fields = {"conversionStrength": strength, "modelVolumeMix": volume_mix}

    def voices(self) -> list[tuple[int, str]]:
        """(id, title) of every usable voice."""
        page = json.loads(self._request(f"{self.url}/voice-models?perPage=1000"))
        return [(model["id"], model["title"]) for model in page["data"] if model.get("isUsable", True)]

    def convert(self, voice: int, file: Path, shift: int) -> tuple[np.ndarray, int]:
        """The lossless result."""
        fields = {"voiceModelId": voice, "pitchShift": shift, **self.fields}
        body, content_type = _multipart(fields, file)
        job = json.loads(self._request(f"{self.url}/voice-conversions", body, content_type))
        deadline = time.monotonic() + PATIENCE_S
        while job["status"] == "running":
            if time.monotonic() > deadline:
                raise TimeoutError(f"job {job['id']} is still running")
            time.sleep(POLL_S)
            job = json.loads(self._request(f"{self.url}/voice-conversions/{job['id']}"))
        if job["status"] != "success":
            raise RuntimeError(f"job {job['id']} ended as {job['status']}: {job.get('error')}")
        address = urllib.parse.urljoin(self.url + "/", job["outputFileUrl"])
        samples, rate_hz = soundfile.read(io.BytesIO(self._request(address)))
        return samples, rate_hz

    def _request(self, address: str, body: bytes | None = None, content_type: str | None = None) -> bytes:
        headers = {"Authorization": f"Bearer {self.key}"} | ({"Content-Type": content_type} if content_type else {})
        with urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=PATIENCE_S) as answer:
            return answer.read()


class Reference:
    """The reference implementation on the packages in models/; its results are made the source's rate."""

    def __init__(self, strength: float, volume_mix: float):
        import reference

        self.reference = reference
        self.strength = strength
        self.volume_mix = volume_mix

    def voices(self) -> list[tuple[str, str]]:
        """(package id, name)."""
        packages = [self.reference.Package(path.parent) for path in sorted(paths.MODELS.glob("*/package.toml"))]
        return [(p.manifest["id"], p.manifest["name"]) for p in packages if p.manifest["kind"] == "voice"]

    def convert(self, voice: str, file: Path, shift: int) -> tuple[np.ndarray, int]:
        """The converted recording at the source's rate, as long as the source."""
        samples, rate_hz = soundfile.read(file)
        converter = self.reference.VoiceConverter(paths.MODELS, voice)
        parameters = self.reference.Parameters(self.strength, self.volume_mix, shift)
        wave = converter.convert(self.reference.to_model_rate(samples, rate_hz), parameters)
        return self.reference.at_rate(wave, converter.rate_hz, rate_hz, len(samples)), rate_hz


def measure(backend, folder: Path, targets: dict) -> list[Row]:
    """Every voice on every recording at every shift."""
    rows = []
    for name in RECORDINGS:
        file = folder / name
        source, rate_hz = soundfile.read(file)
        source_hz = np.array(json.loads(file.with_suffix(".f0.json").read_text())["f0_hz"])
        source_spectrum = metrics.long_term_spectrum_db(source, rate_hz)
        for voice, title in backend.voices():
            target = targets.get(title, np.full(metrics.BANDS, np.nan))
            for shift in PITCH_SHIFTS:
                result, result_rate_hz = backend.convert(voice, file, shift)
                spectrum = metrics.long_term_spectrum_db(result, result_rate_hz)
                error, share = metrics.f0_error_cents(tracking.f0_of(result, result_rate_hz), source_hz, shift)
                rows.append(
                    Row(
                        voice=title,
                        recording=name,
                        shift=shift,
                        f0_error_cents=error,
                        voiced_share=share,
                        source_distance_db=metrics.spectrum_distance_db(source_spectrum, target),
                        result_distance_db=metrics.spectrum_distance_db(spectrum, target),
                        nearest=min(
                            targets,
                            key=lambda one, spectrum=spectrum: metrics.spectrum_distance_db(spectrum, targets[one]),
                        ),
                        silence_dbfs=metrics.level_in_silence_dbfs(result, source, rate_hz),
                        length_equal=result_rate_hz == rate_hz and len(result) == len(source),
                    )
                )
                print(" | ".join(rows[-1].cells()), file=sys.stderr, flush=True)
    return rows


def read_targets() -> dict[str, np.ndarray]:
    """The long-term spectrum of each voice's source program, by the voice's title."""
    return {title: np.array(levels) for title, levels in json.loads((HERE / "targets.json").read_text()).items()}


def table(rows: list[Row]) -> str:
    """Markdown."""
    lines = [HEADINGS, ["---"] * len(HEADINGS)] + [row.cells() for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _multipart(fields: dict, file: Path) -> tuple[bytes, str]:
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="soundFile"; filename="{file.name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    parts += [head.encode(), file.read_bytes(), f"\r\n--{boundary}--\r\n".encode()]
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"


def main() -> None:
    """Measures and prints or writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recordings", type=Path, required=True)
    parser.add_argument("--url", help="the API's root, with /api/v1")
    parser.add_argument("--key")
    parser.add_argument("--reference", action="store_true", help="measure the reference implementation")
    parser.add_argument("--strength", type=float, default=0.5, help="conversionStrength")
    parser.add_argument("--volume-mix", type=float, default=0.5, help="modelVolumeMix")
    parser.add_argument("--write", type=Path, help=f"a Markdown file; everything after its line {MARK!r} is replaced")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    if options.reference:
        backend = Reference(options.strength, options.volume_mix)
    else:
        backend = Server(options.url, options.key, options.strength, options.volume_mix)
    rows = measure(backend, options.recordings, read_targets())
    where = "the reference implementation" if options.reference else "a running server"
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    date = datetime.date.today().isoformat()
    knobs = f"conversionStrength {options.strength}, modelVolumeMix {options.volume_mix}"
    text = f"Measured on {date} through {where}, {knobs}.\n\n{table(rows)}\n"
    if options.write:
        head = options.write.read_text().split(MARK)[0]
        options.write.write_text(f"{head}{MARK}\n\n{text}")
    print(text)


if __name__ == "__main__":
    main()
