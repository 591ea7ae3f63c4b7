"""Whether the pitch is heard, and kept: FCPE and CREPE with their authors' weights against the packaged estimator and the results.

    python pitch.py FOLDER             after converted.py has filled FOLDER

Of the sources: frames that FCPE calls voiced and the packaged estimator does not, the reverse, and errors over 50 cents, through the
numpy implementation in models/training. Of the results: the median difference to the source in cents, with FCPE on both sides, and
the share that is off by an octave.
"""

from __future__ import annotations

import sys
from pathlib import Path

import converted
import numpy as np
import paths  # noqa: F401  (finds the modules in models/training)
import soxr

RATE_HZ, HOP = 16_000, 160
CREPE_SURE = 0.5
"""Periodicity from which CREPE's pitch counts."""
GROSS_CENTS = 50.0
OCTAVE_CENTS = 600.0


class Fcpe:
    """FCPE as its package runs it, 100 frames a second, 0 where unvoiced."""

    def __init__(self):
        import torchfcpe

        self.model = torchfcpe.spawn_bundled_infer_model("cpu")

    def track(self, samples: np.ndarray) -> np.ndarray:
        """Hz per frame."""
        import torch

        wave = torch.from_numpy(samples.astype(np.float32))[None, :, None]
        frames = len(samples) // HOP + 1
        found = self.model.infer(
            wave, sr=RATE_HZ, decoder_mode="local_argmax", threshold=0.006, f0_min=50, f0_max=1_500,
            interp_uv=False, output_interp_target_length=frames,
        )  # fmt: skip
        return found.squeeze().numpy()


def crepe(samples: np.ndarray) -> np.ndarray:
    """CREPE, full, by its most likely path: Hz per frame, 0 where it is not sure."""
    import torch
    import torchcrepe

    wave = torch.from_numpy(samples.astype(np.float32))[None]
    hz, periodicity = torchcrepe.predict(
        wave, RATE_HZ, HOP, 50.0, 1_500.0, "full", batch_size=512, return_periodicity=True
    )
    sure = torchcrepe.filter.median(periodicity, 3) >= CREPE_SURE
    return torch.where(sure, hz, torch.zeros_like(hz))[0].numpy()


def compared(found: np.ndarray, wanted: np.ndarray) -> dict[str, float]:
    """Shares of the frames of `wanted`, and cents where both have a pitch."""
    frames = min(len(found), len(wanted))
    found, wanted = found[:frames], wanted[:frames]
    both = (found > 0) & (wanted > 0)
    cents = np.abs(1200.0 * np.log2(found[both] / wanted[both]))
    return {
        "voiced": int((wanted > 0).sum()),
        "unvoiced": int((wanted <= 0).sum()),
        "missed": int(((wanted > 0) & (found <= 0)).sum()),
        "added": int(((wanted <= 0) & (found > 0)).sum()),
        "both": int(both.sum()),
        "gross": int((cents > GROSS_CENTS).sum()),
        "octaves": int((cents > OCTAVE_CENTS).sum()),
        "cents": float(np.median(cents)) if both.any() else float("nan"),
    }


def shares(lines: list[dict]) -> dict[str, float]:
    """Of all frames of several recordings together."""
    total = {key: sum(line[key] for line in lines) for key in lines[0] if key != "cents"}
    return {
        "missed": total["missed"] / max(total["voiced"], 1),
        "added": total["added"] / max(total["unvoiced"], 1),
        "gross": total["gross"] / max(total["both"], 1),
        "octaves": total["octaves"] / max(total["both"], 1),
        "cents": float(np.nanmedian([line["cents"] for line in lines])),
    }


def heard(take: converted.Take) -> np.ndarray:
    """At the rate that estimators listen at."""
    samples, rate_hz = converted.read(take.path)
    return samples if rate_hz == RATE_HZ else soxr.resample(samples, rate_hz, RATE_HZ)


def of_sources(folder: Path, track) -> dict[str, dict[str, float]]:
    """What `track`, samples at 16 kHz to Hz per frame, hears in the takes, against each judge."""
    fcpe = Fcpe()
    lines: dict[str, list[dict]] = {"FCPE": [], "CREPE": []}
    for take in converted.takes(folder):
        samples = heard(take)
        found = track(samples)
        lines["FCPE"].append(compared(found, fcpe.track(samples)))
        lines["CREPE"].append(compared(found, crepe(samples)))
    return {judge: shares(of_judge) for judge, of_judge in lines.items()}


def of_results(folder: Path, way: str) -> list[dict]:
    """One line for each voice."""
    fcpe = Fcpe()
    sources = {take.name: fcpe.track(heard(take)) for take in converted.takes(folder)}
    lines: dict[str, list[dict]] = {}
    for result in converted.results(folder, way):
        samples, rate_hz = converted.read(result.path)
        found = fcpe.track(soxr.resample(samples, rate_hz, RATE_HZ) if rate_hz != RATE_HZ else samples)
        lines.setdefault(result.voice, []).append(compared(found, sources[result.take.name]))
    return [{"voice": voice} | shares(of_voice) for voice, of_voice in sorted(lines.items())]


def packaged(models: Path):
    """The estimator that the voices name, at the level that it wants."""
    import reference

    voices = sorted(models.glob("vocalhost.amber-*"))
    converter = reference.VoiceConverter(models, voices[-1].name)

    def track(samples: np.ndarray) -> np.ndarray:
        return converter.fundamental.track(samples * (converter.level / reference.sounding_rms(samples)))

    return track


if __name__ == "__main__":
    for judge, line in of_sources(Path(sys.argv[1]), packaged(paths.MODELS)).items():
        print(judge, {key: round(value, 4) for key, value in line.items()})
    for line in of_results(Path(sys.argv[1]), converted.STANDARD):
        print(line)
