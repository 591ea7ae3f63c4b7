"""Starts a training from the weights of published packages, where the layers are the same.

Weights that are stored in half precision carry the suffix `_h` there, those in whole numbers `_b`, or `_i` where they are turned, with factors
in `_s`. The content encoder's phone layer is not part of its package and begins anew.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

NETWORK = "network."
"""Graphs whose network stands behind or before fixed layers have its weights under this prefix."""


def tensors(graph: Path, prefix: str = NETWORK) -> dict[str, torch.Tensor]:
    """Initialisers by their names in the network, as f32, without `prefix`."""
    stored = {
        tensor.name.removesuffix("_h").removeprefix(prefix): numpy_helper.to_array(tensor).astype(np.float32)
        for tensor in onnx.load(graph).graph.initializer
    }
    for name in [name for name in stored if name.endswith("_s")]:
        plain, factors = name.removesuffix("_s"), stored.pop(name)
        if f"{plain}_i" in stored:
            stored[plain] = (stored.pop(f"{plain}_i") * factors).T.copy()
        else:
            stored[plain] = stored.pop(f"{plain}_b") * factors
    return {name: torch.from_numpy(values) for name, values in stored.items()}


def newest(packages: Path, package_id: str) -> Path:
    """Of the generations of a package that lie in a folder (`ID-1`, `ID-2` and so on) the last one."""
    name = package_id.rsplit("-", 1)[0]
    found = [path for path in packages.glob(f"{name}-*") if path.name.removeprefix(f"{name}-").isdigit()]
    if not found:
        raise FileNotFoundError(f"{packages} has no package {name}-NUMBER")
    return max(found, key=lambda path: int(path.name.rsplit("-", 1)[1]))


def load(network: torch.nn.Module, state: dict[str, torch.Tensor]) -> list[str]:
    """Takes over what fits; returns the names of what stays as it was."""
    own = network.state_dict()
    fitting = {name: values for name, values in state.items() if name in own and own[name].shape == values.shape}
    network.load_state_dict(own | fitting)
    return [name for name in own if name not in fitting and "num_batches" not in name]
