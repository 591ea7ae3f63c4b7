"""Which precision this processor multiplies in fastest.

Processors without instructions for bfloat16 imitate it, which takes more than ten times as long as single precision.
"""

from __future__ import annotations

import torch

HALVES = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
"""Whether bfloat16 is fast here."""


def autocast() -> torch.autocast:
    """Networks in bfloat16 where that is fast, in single precision elsewhere."""
    return torch.autocast("cpu", torch.bfloat16, enabled=HALVES)
