"""Exports a trained separator, measures the stored graph, and writes the package if it passes the gate.

A gate has a floor, below which nothing is published, and the target that is wanted. Where the floor is the lower one, metrics.json
says what is missing.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import onnxruntime
import torch

from . import chunks, evaluate, export
from .train import TASKS

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))


@dataclass(frozen=True)
class Gate:
    """A figure of metrics.json: [part][figure] must reach the floor."""

    part: str
    figure: str
    floor: float
    target: float


IMPROVEMENT = "improvement_median_db"
VOCALS_OF_STEMS = "vocals-2"
"""The package without a graph by which the network of the stems serves vocal separations."""
GATES = {
    "stems": (
        Gate("vocals", IMPROVEMENT, 8.0, 8.0),
        Gate("drums", IMPROVEMENT, 12.5, 14.0),
        Gate("bass", IMPROVEMENT, 8.0, 8.0),
        Gate("other", IMPROVEMENT, 8.0, 8.0),
    ),
    "vocals": (Gate("vocals", IMPROVEMENT, 7.0, 8.0), Gate("recordings", IMPROVEMENT, 4.0, 5.0)),
    VOCALS_OF_STEMS: (Gate("vocals", IMPROVEMENT, 8.0, 8.0), Gate("recordings", IMPROVEMENT, 5.0, 5.0)),
    "lead": (
        Gate("lead", IMPROVEMENT, 5.6, 6.0),
        Gate("dry", IMPROVEMENT, 0.1, 0.0),
        Gate("dry", "improvement_min_db", 0.0, 0.0),
        Gate("lead alone", "improvement_min_db", 0.0, 0.0),
        Gate("persons alone", "improvement_min_db", 0.0, 0.0),
    ),
}
MEASURE = {"stems": evaluate.stems, "vocals": evaluate.vocals, "lead": evaluate.lead}


def check(task: str, figures: dict) -> tuple[list[dict], bool]:
    """The gates' results, and whether every floor is reached."""
    rows = []
    for gate in GATES[task]:
        value = figures.get(gate.part, {}).get(gate.figure)
        rows.append({
            "figure": f"{gate.part}: {gate.figure}", "value": value, "floor": gate.floor, "target": gate.target,
            "passes": value is not None and value >= gate.floor,
            "reaches_target": value is not None and value >= gate.target,
        })  # fmt: skip
    return rows, all(row["passes"] for row in rows)


def publish(task: str, data: Path, trained: Path, models: Path) -> int:
    """Exit code: 1 where the gate refuses, and then nothing in `models` was touched."""
    checkpoint = trained / f"{task}.pt"
    held = torch.load(checkpoint)
    model = export.network(checkpoint)
    with tempfile.TemporaryDirectory() as folder:
        exact, stored = Path(folder, "exact.onnx"), Path(folder, "separator.onnx")
        frames = chunks.CUTS[task].frames
        export.write(model, TASKS[task].given, frames, exact)
        export.halve(exact, stored)
        graph = export.compare(model, exact, stored, frames)
        training = {"steps": held["steps"], "cpu_seconds": round(held["cpu_seconds"]), "before": held.get("before", [])}
        if TASKS[task].with_deep:
            deep = torch.load(checkpoint.with_name(export.DEEP_CHECKPOINT))
            training["deep"] = {"steps": deep["steps"], "cpu_seconds": round(deep["cpu_seconds"])}
        # What a restored checkpoint lost by being stored, it lost before.
        graph["fp16_storage_snr_db"] = min(graph["fp16_storage_snr_db"], held.get("fp16_storage_snr_db", float("inf")))
        is_near = graph["onnx_against_torch_max"] <= 1e-3 * max(1.0, graph["output_max"])
        metrics, passed = _measured(task, stored, data, {"training": training, "graph": graph})
        if not (is_near and passed):
            print("refused: below the gate", file=sys.stderr)
            return 1
        package = models / f"vocalhost.{task}-1"
        package.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(stored, package / "separator.onnx")
    _seal(task, package, metrics)
    return _vocals_of_stems(data, models) if task == "stems" else 0


def measure(task: str, data: Path, models: Path) -> int:
    """Measures the package as it is, after its manifest here was changed. Exit code as of `publish`."""
    package = models / f"vocalhost.{task}-1"
    before = json.loads((package / "metrics.json").read_text())
    metrics, passed = _measured(task, package / "separator.onnx", data, before)
    if not passed:
        print("refused: below the gate", file=sys.stderr)
        return 1
    _seal(task, package, metrics)
    return _vocals_of_stems(data, models) if task == "stems" else 0


def _vocals_of_stems(data: Path, models: Path) -> int:
    """Measures what the stems' package is to vocal separations, and writes the package that says so. Exit code as of `publish`."""
    figures = evaluate.vocals(export.runner(models / "vocalhost.stems-1" / "separator.onnx"), data, of="stems")
    gates, passed = check(VOCALS_OF_STEMS, figures)
    if not passed:
        print(f"refused: {VOCALS_OF_STEMS} is below the gate", file=sys.stderr)
        return 1
    package = models / f"vocalhost.{VOCALS_OF_STEMS}"
    package.mkdir(parents=True, exist_ok=True)
    _seal(VOCALS_OF_STEMS, package, {"task": "vocals", "gates": gates, "held_out": figures})
    return 0


def _measured(task: str, graph: Path, data: Path, known: dict) -> tuple[dict, bool]:
    """What metrics.json says, and whether every floor is reached. Of `known`, what was compared in training stays."""
    cut = chunks.CUTS[task]
    took = {"real_time_factor_net_one_core": export.cost(graph, cut)}
    figures = MEASURE[task](export.runner(graph), data)
    gates, passed = check(task, figures)
    metrics = {
        "task": task,
        "training": known["training"],
        "versions": {"torch": torch.__version__, "onnxruntime": onnxruntime.__version__},
        "chunk": asdict(cut),
        "graph": known["graph"] | took,
        "gates": gates,
        "held_out": figures,
    }
    print(json.dumps(metrics, indent=1))
    return metrics, passed


def _seal(task: str, package: Path, metrics: dict) -> None:
    """Writes what goes with the graph."""
    import manifest

    (package / "metrics.json").write_text(json.dumps(metrics, indent=1) + "\n")
    write_texts(task, package)
    (package / "package.toml").write_text((HERE / "manifests" / f"{task}.toml").read_text() + "\n"
                                          + manifest.files_table(package))  # fmt: skip


def write_texts(task: str, package: Path) -> None:
    """card.md from cards/, filled from metrics.json, and NOTICE."""
    metrics = json.loads((package / "metrics.json").read_text())
    rows = []
    for part, row in metrics["held_out"].items():
        rows.append(f"| {part} | {row['files']} | {row['si_sdr_in_db']:+.1f} | {row['si_sdr_out_db']:+.1f} "
                    f"| {row['improvement_median_db']:+.1f} | {row['improvement_min_db']:+.1f} |")  # fmt: skip
    gates = []
    for row in metrics["gates"]:
        state = "reached" if row["reaches_target"] else "**not reached**"
        gates.append(f"| {row['figure'].replace('_', ' ')} | {row['value']:+.1f} | {row['target']:+.1f} | {state} |")
    values = {"rows": "\n".join(rows), "gates": "\n".join(gates)}
    if training := metrics.get("training"):
        values |= {
            "steps": training["steps"],
            "cpu_minutes": round(training["cpu_seconds"] / 60),
            "parameters": f"{metrics['graph']['parameters'] / 1e6:.1f}",
            "rtf": metrics["graph"]["real_time_factor_net_one_core"],
            "difference": f"{metrics['graph']['onnx_against_torch_max']:.1e}",
            "snr": metrics["graph"]["fp16_storage_snr_db"],
            "sources": (HERE / "cards" / "sources.md").read_text().strip(),
        }
        if deep := training.get("deep"):
            values |= {"deep_steps": deep["steps"], "deep_cpu_minutes": round(deep["cpu_seconds"] / 60)}
    (package / "card.md").write_text((HERE / "cards" / f"{task}.md").read_text().format_map(values))
    notices = [HERE / "notices" / "separation.txt", HERE.parent / "notices" / "flite.txt", HERE.parent / "notices" / "kal.txt"]
    (package / "NOTICE").write_text("\n".join(notice.read_text().strip() + "\n" for notice in notices))
