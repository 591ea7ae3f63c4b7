"""Starts a training from the weights of published packages, where the layers are the same.

Weights that are stored in half precision carry the suffix `_h` there. The content encoder's phone layer is not part of its
package and begins anew.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

NETWORK = "network."
"""Graphs whose network stands behind or before fixed layers have its weights under this prefix."""


def tensors(graph: Path) -> dict[str, torch.Tensor]:
    """Initialisers by their names in the network, as f32."""
    return {
        tensor.name.removesuffix("_h").removeprefix(NETWORK): torch.from_numpy(
            numpy_helper.to_array(tensor).astype(np.float32)
        )
        for tensor in onnx.load(graph).graph.initializer
    }


def load(network: torch.nn.Module, state: dict[str, torch.Tensor]) -> list[str]:
    """Takes over what fits; returns the names of what stays as it was."""
    own = network.state_dict()
    fitting = {name: values for name, values in state.items() if name in own and own[name].shape == values.shape}
    network.load_state_dict(own | fitting)
    return [name for name in own if name not in fitting and "num_batches" not in name]
