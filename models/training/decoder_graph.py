"""Edits voice decoder graphs (ONNX) so that they can be shipped and run in segments.

Three edits, each a function of its own:

* `add_phase_input`: the decoder sums the fundamental's phase from its first frame on. A new input `phase` (f64 [1], in
  cycles) is the phase at that first frame, so that a recording may be run in segments that join without a click.
* `fix_speaker`: a decoder trained with several speakers keeps one embedding row per speaker. Every row is replaced by
  the chosen speaker's, so the shipped file holds one voice only and all voices answer to speaker 0. That also makes
  the weights of two voices comparable number by number, which blending needs.
* `average`: the weighted mean of the weights of decoders that descend from one base.

The graphs store large weights as fp16 followed by a Cast; the edits keep that.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SPEAKER_EMBEDDING = "d.sp.weight_h"


def add_phase_input(model: onnx.ModelProto) -> None:
    """Adds the input `phase` in front of the only place where the absolute phase is used.

    The exported graph computes, in double precision, `start = cumsum(inc) - inc` (cycles at the start of each frame)
    and then `start - floor(start)`. The new input is added to `start`. Adding 0.0 changes no bit.
    """
    graph = model.graph
    sums = [node for node in graph.node if node.op_type == "CumSum"]
    if len(sums) != 1:
        raise ValueError(f"expected one CumSum, found {len(sums)}")
    exclusive = _only_consumer(graph, sums[0].output[0], "Sub")
    start = exclusive.output[0]
    users = [node for node in graph.node if start in node.input]
    if sorted(node.op_type for node in users) != ["Floor", "Sub"]:
        raise ValueError("the phase is used in an unexpected way")
    shifted = "phase_at_frame"
    for node in users:
        for position, name in enumerate(node.input):
            if name == start:
                node.input[position] = shifted
    place = list(graph.node).index(exclusive) + 1
    graph.node.insert(place, helper.make_node("Add", [start, "phase"], [shifted], name="add_start_phase"))
    graph.input.append(helper.make_tensor_value_info("phase", TensorProto.DOUBLE, [1]))


def fix_speaker(model: onnx.ModelProto, speaker: int) -> None:
    """Replaces every row of the speaker embedding by the row of `speaker`."""
    embedding = next(tensor for tensor in model.graph.initializer if tensor.name == SPEAKER_EMBEDDING)
    rows = numpy_helper.to_array(embedding)
    same = np.repeat(rows[speaker : speaker + 1], rows.shape[0], axis=0)
    embedding.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(same), SPEAKER_EMBEDDING))


def average(models: list[onnx.ModelProto], shares: list[float]) -> onnx.ModelProto:
    """The weighted mean of decoders whose graphs differ in their weights only.

    Sums in double precision and stores each tensor in the type it had. Constants of the transform are equal in all the
    models and stay exactly as they are.
    """
    if abs(sum(shares) - 1.0) > 1e-9:
        raise ValueError("the shares must sum to 1")
    result = onnx.ModelProto()
    result.CopyFrom(models[0])
    for place, tensor in enumerate(result.graph.initializer):
        parts = [numpy_helper.to_array(model.graph.initializer[place]) for model in models]
        if any(model.graph.initializer[place].name != tensor.name for model in models):
            raise ValueError(f"the models disagree on {tensor.name}")
        if parts[0].dtype.kind != "f" or all(np.array_equal(parts[0], part) for part in parts):
            continue
        mean = sum(share * part.astype(np.float64) for share, part in zip(shares, parts, strict=True))
        tensor.CopyFrom(numpy_helper.from_array(mean.astype(parts[0].dtype), tensor.name))
    return result


def store_as_fp16(model: onnx.ModelProto, least_elements: int = 1024) -> None:
    """Stores large fp32 weights as fp16 with a Cast behind; arithmetic stays fp32 and the file halves."""
    graph = model.graph
    casts = []
    for tensor in list(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < least_elements or np.abs(values).max() > 6e4:
            continue
        stored = tensor.name + "_h"
        casts.append(
            helper.make_node("Cast", [stored], [tensor.name], name=f"widen_{tensor.name}", to=TensorProto.FLOAT)
        )
        graph.initializer.remove(tensor)
        graph.initializer.append(numpy_helper.from_array(values.astype(np.float16), stored))
    for cast in reversed(casts):
        graph.node.insert(0, cast)


def _only_consumer(graph: onnx.GraphProto, name: str, op_type: str) -> onnx.NodeProto:
    users = [node for node in graph.node if name in node.input]
    if len(users) != 1 or users[0].op_type != op_type:
        raise ValueError(f"{name} should feed one {op_type}")
    return users[0]
