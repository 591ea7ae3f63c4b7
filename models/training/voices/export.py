"""Writes the trained networks as ONNX graphs (opset 17): weights in half precision, transforms generated in the graph.

The arithmetic stays f32: a Cast stands behind every stored half. Fourier kernels would be most of a file, so the graph
makes them from Range, Mod, Cos and Sin; a runtime folds that once when it loads. Initialisers carry the names of the
torch modules and nothing is folded into them, so the decoders of two voices compare and blend name by name.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from . import decoder, projection, spectra, whisper

OPSET = 17
HALF_FROM_ELEMENTS = 1024
"""Smaller tensors stay f32."""


class WaveWhisper(nn.Module):
    """Wave [1, 1, N] at 16 kHz to content with loudness [1, N / 320, 65]: `projection.WhisperContent` by convolutions."""

    def __init__(self, network: projection.WhisperContent):
        super().__init__()
        self.encoder, self.network, self.heard = network.encoder, network.network, network.heard
        for name, size in (("kernel", whisper.FFT), ("loudness_kernel", spectra.CONTENT_FFT)):
            angle = transform_angles(size)
            kernel = np.concatenate([np.cos(angle), -np.sin(angle)]) * np.hanning(size + 1)[:-1]
            self.register_buffer(name, torch.tensor(kernel[:, None], dtype=torch.float32))
        self.register_buffer("filters", torch.from_numpy(whisper.mel_filters().T.copy()))
        self.register_buffer("loudness_filter", torch.from_numpy(spectra.content_filters().mean(1)[None]))

    def forward(self, wave: torch.Tensor) -> torch.Tensor:
        mel = torch.matmul(self.filters, power_spectra(wave, self.kernel, whisper.PADDING))
        log_mel = torch.log(mel + whisper.POWER_FLOOR) * (1.0 / np.log(10.0))
        stages = self.encoder.stages(whisper.scaled(log_mel))
        content, _, voice = self.network(projection.normalised(stages, self.heard))
        padding = (spectra.CONTENT_FFT - spectra.HOP) // 2
        power = torch.matmul(self.loudness_filter, power_spectra(wave, self.loudness_kernel, (padding, padding)))
        loud = torch.log(nn.functional.avg_pool1d(power, 2, 2) + 1e-8) * 0.11 + 1.0
        return torch.cat([content, projection.kept_down(loud[:, 0], voice)[..., None]], 2)


def power_spectra(wave: torch.Tensor, kernel: torch.Tensor, padding: tuple[int, int]) -> torch.Tensor:
    """Power spectra [1, bins, frames] by a kernel of cosines, then negative sines."""
    bins = kernel.shape[0] // 2
    spectrum = nn.functional.conv1d(nn.functional.pad(wave, padding), kernel, stride=spectra.HOP)
    return spectrum[:, :bins].pow(2) + spectrum[:, bins:].pow(2)


def transform_angles(size: int) -> np.ndarray:
    """[size / 2 + 1, size] angles of the transform, multiples of the full turn taken out in whole numbers."""
    product = np.arange(size // 2 + 1)[:, None] * np.arange(size) % size
    return 2.0 * np.pi * product / size


def content_graph(network: projection.WhisperContent, path: Path, in_integers: tuple[str, ...] = (), as_bytes: tuple[str, ...] = ()) -> None:
    """`content.onnx`; of what begins with these names, linear layers are computed in integers, and other weights stored as bytes."""
    module = WaveWhisper(network.eval())
    _export(module, (torch.zeros(1, 1, 3200),), path, ["source"], ["embed"], {"source": {2: "N"}, "embed": {1: "T"}})
    model = onnx.load(path)
    for name, size in (("kernel", whisper.FFT), ("loudness_kernel", spectra.CONTENT_FFT)):
        generate_kernel(model, size, name)
    multiply_integers(model, in_integers)
    store_as_bytes(model, as_bytes)
    _finish(model, path)


def speaker_graph(network: nn.Module, window: int, path: Path) -> None:
    """`speaker.onnx`: wave [1, N] to who speaks [1, 256]."""
    _export(network, (torch.zeros(1, window),), path, ["source"], ["speaker"], {"source": {1: "N"}})
    model = onnx.load(path)
    generate_kernel(model, whisper.FFT, "kernel")
    _finish(model, path)


def live_graph(network: projection.WhisperContent, vectors: int, path: Path) -> None:
    """`content.onnx` of an encoder of live conversions, that hears windows of so many vectors; its layers multiply in integers."""
    network.encoder.positions = network.encoder.positions[:vectors].clone()
    content_graph(network, path, ("encoder.layers.",), ("encoder.second.",))


def salience_graph(network: nn.Module, path: Path) -> None:
    """`f0.onnx`: log mel [1, T, 128] to salience [1, T, 360]."""
    _export(network, (torch.zeros(1, 100, 128),), path, ["mel"], ["salience"], {"mel": {1: "T"}, "salience": {1: "T"}})
    _finish(onnx.load(path), path)


def live_salience_graph(network: nn.Module, path: Path) -> None:
    """The same of the pitch network of live conversions, whose layers multiply in integers."""
    _export(network, (torch.zeros(1, 100, 128),), path, ["mel"], ["salience"], {"mel": {1: "T"}, "salience": {1: "T"}})
    model = onnx.load(path)
    multiply_integers(model, ("network.layers.", "network.last."))
    _finish(model, path)


def decoder_graph(network: decoder.EnvelopeNetwork, style: torch.Tensor, path: Path) -> None:
    """`decoder.onnx` of one voice."""
    module = decoder.VoiceDecoder(network, style.detach()).eval()
    frames = 100
    example = (
        torch.zeros(1, frames, 65),
        torch.full((1, frames), 150.0),
        torch.zeros(1, decoder.HOP, frames),
        torch.zeros(1, dtype=torch.float64),
    )
    axes = {"phone": {1: "T"}, "pitchf": {1: "T"}, "rnd": {2: "T"}, "audio": {2: "N"}}
    _export(module, example, path, ["phone", "pitchf", "rnd", "phase"], ["audio"], axes)
    model = onnx.load(path)
    window = np.sqrt(np.hanning(decoder.WINDOW + 1)[:-1])
    sides = np.full(decoder.BINS, 2.0)
    sides[0] = sides[-1] = 1.0
    back = np.tile(sides, 2) / decoder.WINDOW / 1.5
    ones = np.ones(2 * decoder.BINS)
    kernels = {"synthesis.forward_kernel": (ones, window), "synthesis.back_kernel": (back, window)}
    generate_kernels(model, decoder.WINDOW, kernels)
    _finish(model, path)


def _export(module: nn.Module, example: tuple, path: Path, inputs: list, outputs: list, axes: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            example,
            path,
            input_names=inputs,
            output_names=outputs,
            dynamic_axes=axes,
            opset_version=OPSET,
            do_constant_folding=False,
            dynamo=False,
        )
    module.eval()


def generate_kernel(model: onnx.ModelProto, size: int, name: str) -> None:
    """Replaces a stored transform of windows of `size` samples, with Hann's window, by nodes that make it."""
    generate_kernels(model, size, {name: (np.ones(size + 2), np.hanning(size + 1)[:-1])}, f"fourier.{size}")


def generate_kernels(
    model: onnx.ModelProto, size: int, kernels: dict[str, tuple[np.ndarray, np.ndarray]], prefix: str = "fourier"
) -> None:
    """Replaces stored transform kernels [size + 2, 1, size] by nodes that make them, whose names begin with `prefix`.

    `kernels`: initialiser to (factor per row [size + 2], factor per column [size]). Rows are cosines, then negative sines.
    """
    graph = model.graph
    nodes: list[onnx.NodeProto] = []

    def constant(name: str, value) -> str:
        graph.initializer.append(numpy_helper.from_array(np.asarray(value), f"{prefix}.{name}"))
        return f"{prefix}.{name}"

    def node(op: str, inputs: list[str], name: str, **attributes) -> str:
        name = name if name in kernels else f"{prefix}.{name}"
        nodes.append(helper.make_node(op, inputs, [name], name=f"make.{name}", **attributes))
        return name

    zero, one = constant("zero", np.int64(0)), constant("one", np.int64(1))
    bins, samples = constant("bins", np.int64(size // 2 + 1)), constant("size", np.int64(size))
    rows = node("Unsqueeze", [node("Range", [zero, bins, one], "row"), constant("last", np.array([1]))], "rows")
    columns = node("Unsqueeze", [node("Range", [zero, samples, one], "col"), constant("first", np.array([0]))], "cols")
    turns = node("Mod", [node("Mul", [rows, columns], "product"), samples], "turns")
    scale = constant("scale", np.float32(2.0 * np.pi / size))
    angle = node("Mul", [node("Cast", [turns], "turns_f", to=TensorProto.FLOAT), scale], "angle")
    sines = node("Neg", [node("Sin", [angle], "sine")], "minus_sine")
    both = node("Concat", [node("Cos", [angle], "cosine"), sines], "both", axis=0)
    plain = node("Unsqueeze", [both, constant("middle", np.array([1]))], "plain")
    for number, (name, (row_factor, column_factor)) in enumerate(kernels.items()):
        stored = next(tensor for tensor in graph.initializer if tensor.name == name)
        angles = transform_angles(size)
        expected = np.concatenate([np.cos(angles), -np.sin(angles)]) * row_factor[:, None] * column_factor
        if not np.allclose(numpy_helper.to_array(stored)[:, 0], expected, atol=1e-6):
            raise ValueError(f"{name} is not the kernel that it should be")
        graph.initializer.remove(stored)
        by_row = constant(f"rows_{number}", row_factor[:, None, None].astype(np.float32))
        by_column = constant(f"columns_{number}", column_factor[None, None].astype(np.float32))
        node("Mul", [node("Mul", [plain, by_row], f"scaled_{number}"), by_column], name)
    for made in reversed(nodes):
        graph.node.insert(0, made)


def _finish(model: onnx.ModelProto, path: Path) -> None:
    store_as_half(model)
    for tensor in (*model.graph.input, *model.graph.output):
        tensor.type.tensor_type.shape.dim[0].ClearField("dim_param")
        tensor.type.tensor_type.shape.dim[0].dim_value = 1
    model.producer_name, model.producer_version, model.doc_string = "vocalhost", "", ""
    onnx.checker.check_model(model)
    onnx.save(model, path)


def multiply_integers(model: onnx.ModelProto, prefixes: tuple[str, ...]) -> None:
    """Has the products with the large matrices NAME of linear layers whose names begin so made in integers, and stores the matrices so.

    NAME_i is i8 [inward, outward] with a factor NAME_s for each column; each row of what comes in is rounded to u8 around 128 by its own
    largest value. Weights use 7 bits: processors that add two products in 16 bits (AVX2) would overflow with more.
    """
    graph = model.graph
    turned = {node.output[0]: node for node in graph.node if node.op_type == "Transpose"}
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer if tensor.name.startswith(prefixes)}
    if not values:
        return
    constants = {"least": np.float32(1e-8), "most": np.float32(127.0), "middle": np.float32(128.5), "zero": np.uint8(128)}
    graph.initializer.extend(numpy_helper.from_array(np.asarray(value), f"integers.{name}") for name, value in constants.items())
    kept, replaced = [], set()
    for node in graph.node:
        turn = turned.get(node.input[1]) if node.op_type == "MatMul" else None
        name = turn.input[0] if turn else ""
        if name not in values or values[name].size < HALF_FROM_ELEMENTS:
            kept.append(node)
            continue
        factors = (np.maximum(np.abs(values[name]).max(axis=1), 1e-12) / 64.0).astype(np.float32)
        whole = np.round(values[name] / factors[:, None]).astype(np.int8).T.copy()
        graph.initializer.append(numpy_helper.from_array(whole, f"{name}_i"))
        graph.initializer.append(numpy_helper.from_array(factors, f"{name}_s"))
        replaced |= {name, turn.output[0]}
        part, x, out = f"integers.{name}", node.input[0], node.output[0]
        for op, inputs, end, attributes in (
            ("Abs", [x], "size", {}),
            ("ReduceMax", ["size"], "peak", {"axes": [-1], "keepdims": 1}),
            ("Max", ["peak", "integers.least"], "sounding", {}),
            ("Div", ["integers.most", "sounding"], "steps", {}),
            ("Div", ["sounding", "integers.most"], "step", {}),
            ("Mul", [x, "steps"], "scaled", {}),
            # A Cast cuts off: the half makes it round.
            ("Add", ["scaled", "integers.middle"], "lifted", {}),
            ("Cast", ["lifted"], "whole", {"to": TensorProto.UINT8}),
            ("MatMulInteger", ["whole", f"{name}_i", "integers.zero"], "product", {}),
            ("Cast", ["product"], "plain", {"to": TensorProto.FLOAT}),
            ("Mul", ["plain", "step"], "by_row", {}),
            ("Mul", ["by_row", f"{name}_s"], "", {}),
        ):
            given = [value if value in (x, f"{name}_i", f"{name}_s") or value.startswith("integers.") else f"{part}.{value}" for value in inputs]
            kept.append(helper.make_node(op, given, [f"{part}.{end}" if end else out], name=f"{part}.{end or 'back'}", **attributes))
    kept = [node for node in kept if node.output[0] not in replaced]
    del graph.node[:]
    graph.node.extend(kept)
    for tensor in list(graph.initializer):
        if tensor.name in replaced:
            graph.initializer.remove(tensor)


def store_as_bytes(model: onnx.ModelProto, prefixes: tuple[str, ...]) -> None:
    """Large f32 matrices NAME whose names begin so become i8 initialisers NAME_b, of which each row (first axis) has a factor in NAME_s, and
    a Cast and a Mul to NAME behind: a runtime multiplies once when it loads."""
    graph = model.graph
    nodes = []
    for tensor in list(graph.initializer):
        values = numpy_helper.to_array(tensor)
        is_large = values.ndim > 1 and values.size >= HALF_FROM_ELEMENTS and values.dtype == np.float32
        if not is_large or not tensor.name.startswith(prefixes):
            continue
        rows = np.abs(values).max(axis=tuple(range(1, values.ndim)), keepdims=True)
        factors = (np.maximum(rows, 1e-12) / 127.0).astype(np.float32)
        stored, factor, plain = (f"{tensor.name}_{end}" for end in "bsp")
        nodes.append(helper.make_node("Cast", [stored], [plain], name=f"widen.{tensor.name}", to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Mul", [plain, factor], [tensor.name], name=f"scale.{tensor.name}"))
        graph.initializer.remove(tensor)
        graph.initializer.append(numpy_helper.from_array(np.round(values / factors).astype(np.int8), stored))
        graph.initializer.append(numpy_helper.from_array(factors, factor))
    for node in reversed(nodes):
        graph.node.insert(0, node)


def store_as_half(model: onnx.ModelProto) -> None:
    """Large f32 initialisers NAME become f16 initialisers NAME_h with a Cast to NAME behind."""
    graph = model.graph
    casts = []
    for tensor in list(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < HALF_FROM_ELEMENTS:
            continue
        if np.abs(values).max() > 6e4:
            raise ValueError(f"{tensor.name} does not fit into half precision")
        stored = f"{tensor.name}_h"
        casts.append(
            helper.make_node("Cast", [stored], [tensor.name], name=f"widen.{tensor.name}", to=TensorProto.FLOAT)
        )
        graph.initializer.remove(tensor)
        graph.initializer.append(numpy_helper.from_array(values.astype(np.float16), stored))
    for cast in reversed(casts):
        graph.node.insert(0, cast)
