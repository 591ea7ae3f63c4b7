"""Averaged weights to ONNX: opset 17, weights stored as fp16 with a Cast behind each, metadata for hosts that read no manifest."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper, numpy_helper

from . import chunks, deep, spectrum
from .spatial import SpatialLead
from .store import RATE
from .train import TASKS

OPSET = 17
DEEP_CHECKPOINT = "deep.pt"
SMALLEST = 1024


def network(checkpoint: Path) -> torch.nn.Module:
    """The averaged network of a checkpoint, ready to run, where the task has one with that of the lowest bins, whose checkpoint lies
    beside it."""
    held = torch.load(checkpoint)
    task = TASKS[held["task"]]
    model = task.model()
    model.load_state_dict(held["average"])
    if task.with_deep:
        model.deep = deep.Deep()
        model.deep.network.load_state_dict(torch.load(checkpoint.with_name(DEEP_CHECKPOINT))["average"])
    return (SpatialLead(model) if held["task"] == "lead" else model).eval()


def write(model: torch.nn.Module, stems: tuple[str, ...], frames: int, file: Path) -> None:
    """The graph with fp32 weights, as they are in the checkpoint: what can be worked out of them alone ONNX Runtime works out when it
    loads the graph."""
    example = torch.randn(1, 4, spectrum.BINS, frames)
    torch.onnx.export(model, (example,), str(file), input_names=["input"], output_names=["output"],
                      opset_version=OPSET, dynamo=False, do_constant_folding=False)  # fmt: skip
    model.eval()
    graph = onnx.load(file)
    _share_constants(graph.graph)
    about = {"n_fft": spectrum.FFT, "hop": spectrum.HOP, "dim_f": spectrum.BINS, "dim_t": frames,
             "sample_rate": RATE, "stems": ",".join(stems), "compensate": 1.0}  # fmt: skip
    helper.set_model_props(graph, {name: str(value) for name, value in about.items()})
    # Where ONNX Runtime knows every length, it keeps tensors for one another that it could free: with the lead's graph a process holds
    # 611 instead of 455 MB then (1.31.1). The length is 1 all the same.
    for value in (*graph.graph.input, *graph.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = "batch"
    onnx.save(graph, file)


def _share_constants(graph: onnx.GraphProto) -> None:
    """Keeps one of all constants that are alike; the exporter writes one for every use."""
    kept, instead = {}, {}
    for node in [node for node in graph.node if node.op_type == "Constant"]:
        first = kept.setdefault(node.attribute[0].SerializeToString(), node.output[0])
        if first != node.output[0]:
            instead[node.output[0]] = first
            graph.node.remove(node)
    for node in graph.node:
        for place, name in enumerate(node.input):
            node.input[place] = instead.get(name, name)


def halve(source: Path, file: Path) -> None:
    """The same graph with all larger weights stored as fp16; sums are done in fp32 as before, and constants stay as they are."""
    model = onnx.load(source)
    casts = []
    for tensor in list(model.graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.size >= SMALLEST and np.abs(values).max() < 6e4:
            stored = numpy_helper.from_array(values.astype(np.float16), tensor.name + "_fp16")
            model.graph.initializer.remove(tensor)
            model.graph.initializer.append(stored)
            casts.append(helper.make_node("Cast", [stored.name], [tensor.name], to=onnx.TensorProto.FLOAT))
    for place, cast in enumerate(casts):
        model.graph.node.insert(place, cast)
    onnx.checker.check_model(model)
    onnx.save(model, file)


def session(file: Path) -> onnxruntime.InferenceSession:
    """On one thread, as everything here is measured."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def runner(file: Path):
    """A function for chunks.separate."""
    ready = session(file)
    return lambda chunk: ready.run(None, {"input": chunk})[0]


def cost(stored: Path, cut: chunks.Cut) -> float:
    """Processor time on one thread per time of sound."""
    ready, noise = session(stored), _noise(cut.frames)
    ready.run(None, {"input": noise})
    costs = []
    for _ in range(5):
        began = time.process_time()
        ready.run(None, {"input": noise})
        costs.append(time.process_time() - began)
    seconds = (cut.frames - cut.overlap) * spectrum.HOP / RATE
    return round(min(costs) / seconds, 4)


def difference(model: torch.nn.Module, graph: Path, frames: int) -> float:
    """The largest one between the answers of a network and a graph to noise."""
    noise = _noise(frames)
    with torch.no_grad():
        return float(np.abs(runner(graph)(noise) - model(torch.from_numpy(noise)).numpy()).max())


def compare(model: torch.nn.Module, exact: Path, stored: Path, frames: int) -> dict:
    """How far the graphs are from the network."""
    noise = _noise(frames)
    with torch.no_grad():
        wanted = model(torch.from_numpy(noise)).numpy()
    full, halved = runner(exact)(noise), runner(stored)(noise)
    return {
        "onnx_against_torch_max": float(np.abs(full - wanted).max()),
        "output_max": float(np.abs(wanted).max()),
        "fp16_storage_snr_db": round(float(10 * np.log10((full**2).sum() / ((halved - full) ** 2).sum())), 1),
        "same_input_same_output": bool((runner(stored)(noise) == halved).all()),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "bytes": stored.stat().st_size,
    }


def _noise(frames: int) -> np.ndarray:
    """A chunk of it, quieter towards the treble."""
    noise = np.random.default_rng(1).normal(size=(1, 4, spectrum.BINS, frames)).astype(np.float32)
    return noise * (1 / (1 + np.arange(spectrum.BINS) / 20))[:, None].astype(np.float32)
