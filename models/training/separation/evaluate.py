"""Measures the separators on the held-out material."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from . import chunks, heldout

Run = Callable[[np.ndarray], np.ndarray]


def si_sdr(estimate: np.ndarray, reference: np.ndarray) -> float:
    """Scale-invariant signal-to-distortion ratio in dB, over all channels at once, means removed."""
    estimate = estimate.astype(np.float64).ravel()
    reference = reference.astype(np.float64).ravel()
    estimate, reference = estimate - estimate.mean(), reference - reference.mean()
    target = (estimate @ reference) / (reference @ reference + 1e-12) * reference
    return float(10 * np.log10((target @ target + 1e-12) / (np.square(estimate - target).sum() + 1e-12)))


def _summary(rows: list[tuple[str, float, float]]) -> dict:
    """Medians over all files; for songs also apart by whether training knew the engines."""
    before = np.array([row[1] for row in rows])
    after = np.array([row[2] for row in rows])
    summary = {
        "files": len(rows),
        "si_sdr_in_db": round(float(np.median(before)), 2),
        "si_sdr_out_db": round(float(np.median(after)), 2),
        "improvement_median_db": round(float(np.median(after - before)), 2),
        "improvement_mean_db": round(float(np.mean(after - before)), 2),
        "improvement_min_db": round(float(np.min(after - before)), 2),
        "each": {name: [round(b, 2), round(a, 2)] for name, b, a in rows},
    }
    for engines, known in (("known_engines", True), ("other_engines", False)):
        part = [a - b for name, b, a in rows if name.startswith("test-") and heldout.known_engines(name) == known]
        if part:
            summary[f"improvement_median_{engines}_db"] = round(float(np.median(part)), 2)
    return summary


def stems(run: Run, data: Path, limit: int = 99) -> dict:
    """Vocals, drums, bass and other of the held-out mixes. As the host does, other is what the rest leave."""
    rows: dict[str, list] = {"vocals": [], "drums": [], "bass": [], "other": []}
    for number, (name, parts) in enumerate(heldout.mixes(data)):
        if number >= limit:
            break
        mix = sum(parts.values())
        out = chunks.separate(run, mix, chunks.CUTS["stems"])
        guess = dict(zip(("vocals", "drums", "bass"), out))
        guess["other"] = mix - out[0] - out[1] - out[2]
        for stem, sound in parts.items():
            rows[stem].append((name, si_sdr(mix, sound), si_sdr(guess[stem], sound)))
    return {stem: _summary(found) for stem, found in rows.items()}


def vocals(run: Run, data: Path, limit: int = 99, of: str = "vocals") -> dict:
    """Vocals of the held-out mixes and of recordings, and what is left of the mixes. The first stem that the network `of` a task gives is
    the vocals."""
    cut = chunks.CUTS[of]
    rows: dict[str, list] = {"vocals": [], "backing": [], "recordings": []}
    for number, (name, parts) in enumerate(heldout.mixes(data)):
        if number >= limit:
            break
        mix = sum(parts.values())
        guess = chunks.separate(run, mix, cut)[0]
        rows["vocals"].append((name, si_sdr(mix, parts["vocals"]), si_sdr(guess, parts["vocals"])))
        backing = mix - parts["vocals"]
        rows["backing"].append((name, si_sdr(mix, backing), si_sdr(mix - guess, backing)))
    for number, (name, parts) in enumerate(heldout.recordings()):
        if number >= limit:
            break
        mix = parts["vocals"] + parts["music"]
        guess = chunks.separate(run, mix, cut)[0]
        rows["recordings"].append((name, si_sdr(mix, parts["vocals"]), si_sdr(guess, parts["vocals"])))
    return {kind: _summary(found) for kind, found in rows.items() if found}


def lead(run: Run, data: Path, limit: int = 99) -> dict:
    """Lead where there are harmonies, harmonies themselves, the dry voices (input minus reverb) where it is wet, the lead where
    there is only reverb, and so of real persons."""
    rows: dict[str, list] = {"lead": [], "harmony": [], "dry": [], "lead alone": [], "persons alone": []}
    for number, (name, parts) in enumerate(heldout.vocal_files(data)):
        if number >= limit:
            break
        mix = sum(parts.values())
        harmony, reverb = chunks.separate(run, mix, chunks.CUTS["lead"])
        guess = mix - harmony - reverb
        kind = "lead" if parts["harmony"].any() else "lead alone"
        if parts["harmony"].any() or parts["reverb"].any():
            rows[kind].append((name, si_sdr(mix, parts["lead"]), si_sdr(guess, parts["lead"])))
        if parts["harmony"].any():
            rows["harmony"].append((name, si_sdr(mix, parts["harmony"]), si_sdr(harmony, parts["harmony"])))
        if parts["reverb"].any():
            dry = parts["lead"] + parts["harmony"]
            rows["dry"].append((name, si_sdr(mix, dry), si_sdr(mix - reverb, dry)))
    for number, (name, parts) in enumerate(heldout.persons_in_rooms()):
        if number >= limit:
            break
        mix = sum(parts.values())
        harmony, reverb = chunks.separate(run, mix, chunks.CUTS["lead"])
        rows["persons alone"].append((name, si_sdr(mix, parts["lead"]), si_sdr(mix - harmony - reverb, parts["lead"])))
    return {kind: _summary(found) for kind, found in rows.items() if found}
