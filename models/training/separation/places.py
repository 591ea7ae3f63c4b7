"""Whose a bin is by where its sound comes from: the multichannel Wiener filter (Duong, Vincent and Gribonval, "Under-determined reverberant
audio source separation using a full-rank spatial covariance model", 2010), one step of it, from what networks have found (Nugraha,
Liutkus and Vincent, "Multichannel audio source separation with deep neural networks", 2016).

A stem's bin is taken to be a normal variable of both sides, whose covariance is the stem's power in this very bin times how the stem
lies between the sides in this frequency all along. The mean of the stem given the mix is what the filter gives.
"""

from __future__ import annotations

import torch

FLOOR = 1e-4
"""Of the mix's power in each direction: what is equal on both sides leaves no power in the other one."""
LEAST = 1e-9


def placed(stems: torch.Tensor, mix: torch.Tensor) -> torch.Tensor:
    """Stems [B, stems, 4, F, T] and the mix that they sum to, [B, 4, F, T] (left and right, each real and imaginary), to the mix shared
    out between them. In double precision: covariances of what stands in the middle can hardly be inverted."""
    stems, mix = stems.double(), mix.double()
    left_re, left_im, right_re, right_im = stems.unbind(2)
    left, right = left_re.square() + left_im.square(), right_re.square() + right_im.square()
    power = 0.5 * (left + right)
    whole = power.sum(-1, keepdim=True) + LEAST
    # The covariances, Hermitian: their diagonals and what stands at the upper right.
    ll, rr = (side.sum(-1, keepdim=True) / whole for side in (left, right))
    lr_re = (left_re * right_re + left_im * right_im).sum(-1, keepdim=True) / whole
    lr_im = (left_im * right_re - left_re * right_im).sum(-1, keepdim=True) / whole
    a, d, b_re, b_im = ((power * part).sum(1) for part in (ll, rr, lr_re, lr_im))
    floor = FLOOR * (a + d) + LEAST
    a, d = a + floor, d + floor
    determinant = a * d - b_re.square() - b_im.square()
    l_re, l_im, r_re, r_im = mix.unbind(1)
    inverted = (
        d * l_re - (b_re * r_re - b_im * r_im),
        d * l_im - (b_re * r_im + b_im * r_re),
        a * r_re - (b_re * l_re + b_im * l_im),
        a * r_im - (b_re * l_im - b_im * l_re),
    )
    l_re, l_im, r_re, r_im = ((part / determinant).unsqueeze(1) for part in inverted)
    parts = (
        ll * l_re + lr_re * r_re - lr_im * r_im,
        ll * l_im + lr_re * r_im + lr_im * r_re,
        lr_re * l_re + lr_im * l_im + rr * r_re,
        lr_re * l_im - lr_im * l_re + rr * r_im,
    )
    return torch.stack([power * part for part in parts], 2).float()
