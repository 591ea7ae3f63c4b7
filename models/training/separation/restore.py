"""A checkpoint from a package, to go on training where no checkpoint was kept.

The graph holds the averaged weights (as fp16) and the statistics of every normalisation by their names in a checkpoint; ONNX Runtime
puts them together when it loads it. Optimisers begin anew.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from . import chunks, deep, export
from .train import TASKS


def restore(task: str, package: Path, checkpoint: Path) -> float:
    """Writes the checkpoint; returns how far the restored network is from the graph, as the largest difference of their answers to
    noise."""
    graph = package / "separator.onnx"
    named = {
        tensor.name.removesuffix("_fp16"): torch.from_numpy(numpy_helper.to_array(tensor).astype(np.float32))
        for tensor in onnx.load(graph).graph.initializer
    }
    metrics = json.loads((package / "metrics.json").read_text())
    trained = metrics["training"]
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    _write(TASKS[task].model(), named, "network." if task == "lead" else "", trained, checkpoint, task=task, before=trained["before"],
           fp16_storage_snr_db=metrics["graph"]["fp16_storage_snr_db"])  # fmt: skip
    if TASKS[task].with_deep:
        beside = checkpoint.with_name(export.DEEP_CHECKPOINT)
        _write(deep.Waves(), named, "deep.network.", trained["deep"], beside)
    return export.difference(export.network(checkpoint), graph, chunks.CUTS[task].frames)


def _write(model: torch.nn.Module, named: dict[str, torch.Tensor], prefix: str, trained: dict, file: Path, **more: object) -> None:
    """A checkpoint of the network's tensors, which the graph has under these names behind `prefix`."""
    own = model.state_dict()
    for name, value in own.items():
        if value.is_floating_point():
            value.copy_(named[prefix + name])
    held = {"model": own, "average": {name: value.clone() for name, value in own.items()}, "optimisers": None,
            "steps": trained["steps"], "cpu_seconds": trained["cpu_seconds"], **more}  # fmt: skip
    torch.save(held, file)
