"""Measures the packages in WORK/packages on held-out generated sound and checks the gates.

    python -m voices.evaluate WORK [voices instruments blends f0]

Writes WORK/metrics/*.json. A gate has a `target` (what is wanted) and a `floor` (below which nothing is published); the
two differ only where the target has not been reached yet, and the metrics say so.

Sources that no network here has heard: two speakers of another speech engine (festival's ked, slt_hts), two variants of
a formant synthesiser, and songs sung by the former two. Targets: the same sentences by the voice's own Flite source,
designed as the voice is. Conversion is the reference implementation's at conversionStrength 0.5, its pitch moved by
whole semitones towards the voice, with the pitch network's own estimate, before any volume mix.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import onnx
import soxr
import torch
from onnx import numpy_helper

from . import decoder, designs, items, measures, recogniser, targets, training_frames
from .instruments import BACKINGS, INSTRUMENTS
from .packages import F0_ID

import reference  # noqa: E402  isort: skip

SPOKEN_SOURCES = ("ked", "slt_hts", "en-us_m7", "en-us_f4")
SUNG_SOURCES = ("ked", "slt_hts")
SPOKEN_ITEMS, SUNG_ITEMS = 3, 2
TARGETS_SPEAKER = "slt"
"""Of the Flite voices, which share their dictionary, the one whose phones stand for all."""
STRENGTH = 0.5
ALPHAS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Gate:
    """A figure, what is wanted of it, what is demanded, and which way is better."""

    figure: str
    target: float
    floor: float
    more_is_better: bool = False

    def passes(self, value: float, limit: float) -> bool:
        """Whether the value is on the right side."""
        return value >= limit if self.more_is_better else value <= limit


VOICE_GATES = (
    Gate("f0_error_cents", 10.0, 12.0),
    Gate("identified_share", 0.98, 0.95, True),
    Gate("mcd_db", 4.4, 5.6),
    Gate("phone_agreement_drop", 0.08, 0.15),
    Gate("silence_dbfs", -60.0, -60.0),
)
INSTRUMENT_GATES = (Gate("f0_error_cents", 10.0, 15.0), Gate("spectrum_to_target_db", 6.0, 8.0), Gate("silence_dbfs", -60.0, -60.0))
BLEND_GATES = (
    Gate("half_way_lowest", 0.4, 0.4, True),
    Gate("half_way_highest", 0.6, 0.6),
    Gate("monotone_share", 1.0, 1.0, True),
    Gate("phone_agreement_loss", 0.02, 0.03),
    Gate("share_error_three_and_four", 0.1, 0.12),
)
F0_GATES = (
    Gate("clean_singing_rpa50", 0.97, 0.96, True),
    Gate("clean_singing_voicing_error", 0.08, 0.08),
    Gate("mix_10_db_rpa50", 0.9, 0.85, True),
)


def judged(figures: dict, gates: tuple[Gate, ...]) -> dict:
    """The figures with their gates."""
    return {
        "figures": figures,
        "gates": [
            {
                "figure": gate.figure,
                "value": figures[gate.figure],
                "target": gate.target,
                "floor": gate.floor,
                "reaches_target": gate.passes(figures[gate.figure], gate.target),
                "passes": gate.passes(figures[gate.figure], gate.floor),
            }
            for gate in gates
        ],
    }


def read_source(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wave, labels, fundamental of a test item."""
    with np.load(path) as item:
        return items.read_wave(item["wave"]).astype(np.float64), item["labels"], item["f0"].astype(np.float64)


def spoken_items(work: Path, speaker: str) -> tuple[list[Path], list[Path]]:
    """The sentences that are converted, and the speaker's others. The programs do not pronounce every word alike, and then the
    target says something else than the source: those are taken whose phones agree best with Flite's."""

    def disagreement(path: Path) -> float:
        flite = path.with_name(f"test-spoken-{TARGETS_SPEAKER}-{path.stem[-3:]}.npz")
        one, other = (training_frames.phone_runs(read_source(said)[1]) for said in (path, flite))
        return -SequenceMatcher(None, one, other, autojunk=False).ratio()

    ordered = sorted(items.paths(work, f"test-spoken-{speaker}-"), key=disagreement)
    return ordered[:SPOKEN_ITEMS], ordered[SPOKEN_ITEMS:]


def test_sources(work: Path) -> list[tuple[str, Path]]:
    """(speaker, item), spoken and sung."""
    result = []
    for speaker in SPOKEN_SOURCES:
        result += [(speaker, path) for path in spoken_items(work, speaker)[0]]
    for speaker in SUNG_SOURCES:
        result += [(speaker, path) for path in items.paths(work, f"test-sung-{speaker}-")[:SUNG_ITEMS]]
    return result


def at_16_khz(wave: np.ndarray, rate_hz: int) -> np.ndarray:
    """For the measures."""
    return soxr.resample(wave, rate_hz, 16_000) if rate_hz != 16_000 else wave


def shift_towards(f0_hz: np.ndarray, wanted_hz: float) -> float:
    """Whole semitones from the mean pitch of a recording to a voice's."""
    voiced = f0_hz[f0_hz > 0]
    return float(round(12.0 * np.log2(wanted_hz / np.exp(np.log(voiced).mean()))))


def pitch_of(result: np.ndarray, source_hz: np.ndarray, shift: float) -> np.ndarray:
    """WORLD's pitch track of a result, searched from an octave below to an octave above what there should be."""
    wanted = source_hz[source_hz > 0] * 2.0 ** (shift / 12.0)
    return measures.f0_of(result, max(40.0, wanted.min() / 2.0), wanted.max() * 2.0)


def pitch_error_cents(heard: np.ndarray, source_hz: np.ndarray, shift: float) -> float:
    """Median, where both have a pitch."""
    frames = min(len(heard), len(source_hz))
    wanted = source_hz[:frames] * 2.0 ** (shift / 12.0)
    both = (wanted > 0) & (heard[:frames] > 0)
    return float(np.median(np.abs(1200.0 * np.log2(heard[:frames][both] / wanted[both]))))


def silence_dbfs(converter: reference.VoiceConverter) -> float:
    """What the bare decoder makes of two seconds of digital silence, without the host's gate."""
    content = np.repeat(converter.content.encode(np.zeros(32_000)), 2, axis=0)
    noise = np.random.default_rng(0).standard_normal((len(content), converter.decoder.noise_rows)).T
    wave = converter.decoder.decode(content, np.zeros(len(content)), noise)
    return float(10.0 * np.log10(np.mean(wave.astype(np.float64) ** 2) + 1e-20))


def identities(work: Path) -> dict[str, measures.Mixture]:
    """A mixture for each designed voice and each test speaker, of training sentences where there are any."""
    models = {}
    for voice in designs.VOICES:
        paths = targets.training_paths(work, voice, 20, 3)
        models[voice.id] = _mixture([targets.rendered(path, voice) for path in paths])
    for speaker in SPOKEN_SOURCES:
        models[speaker] = _mixture([read_source(path)[0] for path in spoken_items(work, speaker)[1]])
    return models


def _mixture(waves: list[np.ndarray]) -> measures.Mixture:
    frames = np.concatenate([measures.speaker_features(wave) for wave in waves])
    return measures.Mixture(frames[:: max(1, len(frames) // 4000)])


class Judges:
    """What conversions of voices are held against: the sources, the recogniser, and the mixtures of all who may be heard."""

    def __init__(self, work: Path):
        self.work = work
        self.listener, self.models = recogniser.load(work), identities(work)
        self.sources = [(speaker, path, *read_source(path)) for speaker, path in test_sources(work)]
        agreement = recogniser.agreement
        self.heard_before = {path: agreement(self.listener, wave, labels) for _, path, wave, labels, _ in self.sources}

    def rows(self, voice: designs.Voice, mean_f0_hz: float, convert: Callable[[np.ndarray, float], tuple[np.ndarray, int]]) -> list[dict]:
        """Every source as `convert` makes it of its wave at 16 kHz and a shift in semitones: a wave and its sample rate."""
        rows = []
        for _, path, wave, labels, f0_hz in self.sources:
            shift = shift_towards(f0_hz, mean_f0_hz)
            result = at_16_khz(*convert(wave, shift))
            frames = measures.speaker_features(result)
            heard_hz = pitch_of(result, f0_hz, shift)
            scores = {name: model.likelihood(frames) for name, model in self.models.items()}
            row = {
                "source": path.stem.removeprefix("test-"),
                "shift": shift,
                "f0_error_cents": pitch_error_cents(heard_hz, f0_hz, shift),
                "level_rms": reference.sounding_rms(result),
                "identified": max(scores, key=scores.get) == voice.id,
                "phones_before": self.heard_before[path],
                "phones_after": recogniser.agreement(self.listener, result, labels),
            }
            if "spoken" in path.stem:
                twin = self.work / "speech" / f"test-spoken-{voice.source}-{path.stem[-3:]}.npz"
                target_hz = read_source(twin)[2] * voice.design.pitch_factor
                ideal = at_16_khz(targets.rendered(twin, voice, decoder.RATE_HZ), decoder.RATE_HZ)
                target = measures.mel_cepstra(ideal, target_hz)
                row["mcd_db"] = measures.distortion_db(measures.mel_cepstra(result, heard_hz), target)
                row["mcd_before_db"] = measures.distortion_db(measures.mel_cepstra(wave, f0_hz), target)
            rows.append(row)
        return rows


def voice_figures(rows: list[dict]) -> dict:
    """Of all conversions to one voice."""

    def mean(key: str) -> float:
        return round(float(np.mean([row[key] for row in rows if key in row])), 4)

    return {
        "conversions": len(rows),
        "f0_error_cents": round(float(np.median([row["f0_error_cents"] for row in rows])), 2),
        "f0_error_cents_spoken": round(float(np.median([r["f0_error_cents"] for r in rows if "mcd_db" in r])), 2),
        "f0_error_cents_sung": round(float(np.median([r["f0_error_cents"] for r in rows if "mcd_db" not in r])), 2),
        "identified_share": mean("identified"),
        "mcd_db": mean("mcd_db"),
        "mcd_unconverted_db": mean("mcd_before_db"),
        "phone_agreement_before": mean("phones_before"),
        "phone_agreement_after": mean("phones_after"),
        "phone_agreement_drop": round(mean("phones_before") - mean("phones_after"), 4),
        "level_rms": mean("level_rms"),
    }


def evaluate_voices(work: Path) -> None:
    """Every voice on every source."""
    judges = Judges(work)
    for voice in designs.VOICES:
        converter = reference.VoiceConverter(work / "packages", voice.id)

        def convert(wave: np.ndarray, shift: float, converter: reference.VoiceConverter = converter) -> tuple[np.ndarray, int]:
            return converter.render(wave, reference.Parameters(STRENGTH, 1.0, shift)), converter.rate_hz

        rows = judges.rows(voice, converter.package.manifest["voice"]["mean_f0_hz"], convert)
        figures = voice_figures(rows) | {"silence_dbfs": round(silence_dbfs(converter), 1)}
        _write(work, voice.id, judged(figures, VOICE_GATES) | {"rows": rows})


def evaluate_instruments(work: Path) -> None:
    """Songs and speech by held-out speakers, and the instrument's own held-out melody for the spectrum."""
    for instrument in INSTRUMENTS:
        converter = reference.VoiceConverter(work / "packages", instrument.id)
        wanted_hz = converter.package.manifest["voice"]["mean_f0_hz"]
        with np.load(work / "music" / f"solo-{instrument.program}-0.npz") as item:
            own = soxr.resample(item["wave"].astype(np.float64), 32_000, 16_000)
        errors, spectra_db, before_db = [], [], []
        for _, path in test_sources(work):
            if "sung" not in path.stem:
                continue
            wave, _, f0_hz = read_source(path)
            shift = shift_towards(f0_hz, wanted_hz)
            result = at_16_khz(converter.render(wave, reference.Parameters(STRENGTH, 1.0, shift)), converter.rate_hz)
            errors.append(pitch_error_cents(pitch_of(result, f0_hz, shift), f0_hz, shift))
            spectra_db.append(_apart_db(measures.long_term_db(result), measures.long_term_db(own)))
            before_db.append(_apart_db(measures.long_term_db(wave), measures.long_term_db(own)))
        figures = {
            "conversions": len(errors),
            "f0_error_cents": round(float(np.median(errors)), 2),
            "spectrum_to_target_db": round(float(np.mean(spectra_db)), 2),
            "spectrum_unconverted_db": round(float(np.mean(before_db)), 2),
            "silence_dbfs": round(silence_dbfs(converter), 1),
        }
        _write(work, instrument.id, judged(figures, INSTRUMENT_GATES))


def _apart_db(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.sqrt(np.mean((one - other) ** 2)))


def blended(folder: Path, shares: dict[str, float]) -> bytes:
    """A decoder whose weights are the shares of several packages', name by name in f32."""
    models = {package: onnx.load(folder / package / "decoder.onnx") for package in shares}
    weights = {package: {t.name: t for t in model.graph.initializer} for package, model in models.items()}
    result = models[next(iter(shares))]
    for tensor in result.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype.kind != "f":
            continue
        mixed = sum(
            share * numpy_helper.to_array(weights[package][tensor.name]).astype(np.float32)
            for package, share in shares.items()
        )
        tensor.CopyFrom(numpy_helper.from_array(mixed.astype(values.dtype), tensor.name))
    return result.SerializeToString()


def evaluate_blends(work: Path) -> None:
    """Pairs, triples and quadruples of voices on the same content and pitch."""
    folder, listener = work / "packages", recogniser.load(work)
    paths = [*items.paths(work, "test-spoken-ked-")[:3], *items.paths(work, "test-spoken-slt_hts-")[:3]]
    ids = [voice.id for voice in designs.VOICES]
    ears = reference.VoiceConverter(folder, ids[0])
    heard, known = {}, {}
    for path in paths:
        wave, labels, _ = read_source(path)
        scaled = np.pad(wave * (ears.level / reference.sounding_rms(wave)), (0, -len(wave) % 320))
        content = np.repeat(ears.content.encode(scaled), 2, axis=0)
        noise = np.random.default_rng(0).standard_normal((len(content), ears.decoder.noise_rows)).T
        heard[path] = content, ears.fundamental.track(scaled), noise, labels

    def spoken(shares: dict[str, float]) -> tuple[np.ndarray, float]:
        """Long-term spectrum and phone agreement over all test sentences at their own pitch, index not used."""
        key = tuple(sorted(shares.items()))
        if key not in known:
            decoder = reference.Decoder(blended(folder, shares))
            levels, agreements = [], []
            for content, f0_hz, noise, labels in heard.values():
                result = at_16_khz(decoder.decode(content, f0_hz, noise).astype(np.float64), ears.rate_hz)
                levels.append(measures.long_term_db(result))
                agreements.append(recogniser.agreement(listener, result, labels))
            known[key] = np.mean(levels, axis=0), float(np.mean(agreements))
        return known[key]

    places, monotone, losses, rows = [], [], [], []
    for one, other in itertools.combinations(ids, 2):
        ends = spoken({one: 1.0}), spoken({other: 1.0})
        way, lost = [], []
        for alpha in ALPHAS[1:-1]:
            level, agreement = spoken({one: 1.0 - alpha, other: alpha})
            there = _apart_db(level, ends[0][0])
            way.append(there / (there + _apart_db(level, ends[1][0])))
            lost.append(min(ends[0][1], ends[1][1]) - agreement)
        losses += lost
        places.append(way[1])
        monotone.append(bool(np.all(np.diff([0.0, *way, 1.0]) > 0)))
        rows.append({"voices": [one, other], "apart_db": _apart_db(ends[0][0], ends[1][0]), "way": way, "phones_lost": lost})
    share_errors = []
    for several in ([0, 2, 3], [1, 4, 6], [2, 5, 6], [0, 1, 2, 3], [1, 3, 4, 5], [0, 2, 4, 6]):
        chosen = [ids[place] for place in several]
        shares = {package: 1.0 / len(chosen) for package in chosen}
        level, agreement = spoken(shares)
        ends = [spoken({package: 1.0}) for package in chosen]
        found = _shares(level, np.stack([end[0] for end in ends]))
        share_errors.append(float(np.abs(found - 1.0 / len(chosen)).max()))
        losses.append(min(end[1] for end in ends) - agreement)
        rows.append({"voices": chosen, "shares_found": found.tolist(), "phones_lost": losses[-1]})
    figures = {
        "pairs": len(places),
        "half_way_lowest": round(min(places), 3),
        "half_way_highest": round(max(places), 3),
        "monotone_share": float(np.mean(monotone)),
        "phone_agreement_loss": round(float(np.mean(np.maximum(losses, 0.0))), 4),
        "phone_agreement_loss_worst": round(max(losses), 4),
        "share_error_three_and_four": round(max(share_errors), 3),
    }
    _write(work, "blends", judged(figures, BLEND_GATES) | {"rows": rows})


def _shares(point: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """How far the point is on the way from the middle of the other ends to each end; 1 / count where all are equal."""
    found = []
    for place, end in enumerate(ends):
        others = np.delete(ends, place, axis=0).mean(axis=0)
        found.append((point - others) @ (end - others) / ((end - others) @ (end - others)))
    return np.array(found)


def evaluate_f0(work: Path) -> None:
    """The packaged estimator: songs by held-out singers, and their twins; mixes."""
    package = reference.Package(work / "packages" / F0_ID)
    fundamental = reference.Fundamental(package)
    backings = [items.read_wave(np.load(path)["wave"]) for path in sorted((work / "music").glob("backing-*.npz"))[BACKINGS:]]
    results: dict[str, list] = {}

    def score(case: str, samples: np.ndarray, f0_hz: np.ndarray) -> None:
        scaled = samples * (0.06 / reference.sounding_rms(samples))
        found = fundamental.track(scaled)
        frames = min(len(found), len(f0_hz))
        found, wanted = found[:frames], f0_hz[:frames]
        voiced = wanted > 0
        both = voiced & (found > 0)
        cents = np.abs(1200.0 * np.log2(found[both] / wanted[both]))
        results.setdefault(case, []).append(
            (np.sum(cents < 50.0) / voiced.sum(), np.median(cents), np.mean((found > 0) != voiced), np.mean((found > 0)[voiced]))
        )

    for kind, key, speakers in (("sung", "wave", SUNG_SOURCES), ("sung", "twin", SUNG_SOURCES), ("spoken", "twin", SPOKEN_SOURCES)):
        for speaker in speakers:
            for number, path in enumerate(items.paths(work, f"test-{kind}-{speaker}-")):
                with np.load(path) as item:
                    wave, f0_hz = items.read_wave(item[key]), item["f0" if key == "wave" else "twin_f0"]
                if not (f0_hz > 0).any():
                    continue
                name = "singing" if kind == "sung" else "speech"
                score(f"clean_{name}", wave, f0_hz)
                backing = backings[number % len(backings)]
                backing = np.resize(backing, len(wave))
                for level_db in (10, 0):
                    gain = reference.sounding_rms(wave) / backing.std() * 10 ** (-level_db / 20)
                    score(f"mix_{level_db}_db" if kind == "sung" else f"speech_mix_{level_db}_db", wave + gain * backing, f0_hz)
    figures = {}
    for case, rows in results.items():
        rpa50, cents, error, recall = np.mean(rows, axis=0)
        figures |= {
            f"{case}_rpa50": round(float(rpa50), 4),
            f"{case}_cents": round(float(cents), 2),
            f"{case}_voicing_error": round(float(error), 4),
            f"{case}_voiced_found": round(float(recall), 4),
        }
    _write(work, F0_ID, judged(figures, F0_GATES))


def _write(work: Path, name: str, result: dict) -> None:
    folder = work / "metrics"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
    failed = [gate["figure"] for gate in result["gates"] if not gate["passes"]]
    missed = [gate["figure"] for gate in result["gates"] if not gate["reaches_target"]]
    print(name, result["figures"], f"below floor: {failed}" if failed else "", f"below target: {missed}" if missed else "", flush=True)


def main(work: Path, parts: list[str]) -> None:
    """Runs the parts asked for, or all."""
    torch.set_num_threads(1)
    all_parts = {"f0": evaluate_f0, "voices": evaluate_voices, "instruments": evaluate_instruments, "blends": evaluate_blends}
    for part in parts or all_parts:
        all_parts[part](work)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
