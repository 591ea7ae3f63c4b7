"""The variants of RVC's checkpoints, with random weights, as torch saves them."""

import math
from collections import OrderedDict
from dataclasses import dataclass, field, replace

import torch
from torch.nn.utils import remove_weight_norm

from network import Voice


@dataclass(frozen=True)
class Sizes:
    """The dimensions of a network; those of real voices where nothing else is said."""

    content: int = 768
    pitch: bool = True
    rates: tuple = (10, 10, 2, 2)
    kernels: tuple = (16, 16, 4, 4)
    hidden: int = 192
    inter: int = 192
    filter: int = 768
    heads: int = 2
    layers: int = 6
    kernel: int = 3
    initial: int = 512
    block_kernels: tuple = (3, 7, 11)
    dilations: tuple = ((1, 3, 5), (1, 3, 5), (1, 3, 5))
    paired: bool = True
    speakers: int = 109
    speaker: int = 256
    flows: int = 4
    flow_layers: int = 3
    flow_kernel: int = 5
    parametrized: bool = False
    decoder: str = "HiFi-GAN"

    def config(self):
        """The list that checkpoints carry."""
        rate = 100 * math.prod(self.rates)
        return [
            513 if rate == 32000 else 1025, 32, self.inter, self.hidden, self.filter, self.heads,
            self.layers, self.kernel, 0, "1" if self.paired else "2", list(self.block_kernels),
            [list(dilations) for dilations in self.dilations], list(self.rates), self.initial,
            list(self.kernels), 109, self.speaker, rate,
        ]

    def tiny(self):
        """The same network with hardly any channels."""
        initial = 2 ** len(self.rates)
        if self.decoder == "RefineGAN":
            initial *= 2
        return replace(
            self, hidden=4, inter=4, filter=4, layers=1, initial=initial, block_kernels=(3,),
            dilations=((1, 3),), speakers=3, speaker=2, flows=2, flow_layers=2, flow_kernel=3,
        )


@dataclass(frozen=True)
class Variant:
    """A kind of checkpoint."""

    name: str
    sizes: Sizes
    form: str = "rvc"
    facts: dict = field(default_factory=dict)


DECODERS = {
    "40k": ((10, 10, 2, 2), (16, 16, 4, 4)),
    "48k-v1": ((10, 6, 2, 2, 2), (16, 16, 4, 4, 4)),
    "48k": ((12, 10, 2, 2), (24, 20, 4, 4)),
    "32k-v1": ((10, 4, 2, 2, 2), (16, 16, 4, 4, 4)),
    "32k": ((10, 8, 2, 2), (20, 16, 4, 4)),
    "24k": ((10, 6, 2, 2), (20, 12, 4, 4)),
}


def sizes(decoder, content, pitch, **more):
    rates, kernels = DECODERS[decoder]
    return Sizes(content=content, pitch=pitch, rates=rates, kernels=kernels, **more)


VARIANTS = [
    Variant("rvc-v1-40k-f0", sizes("40k", 256, True)),
    Variant("rvc-v1-40k", sizes("40k", 256, False)),
    Variant("rvc-v1-48k-f0", sizes("48k-v1", 256, True)),
    Variant("rvc-v1-32k-f0", sizes("32k-v1", 256, True)),
    Variant("rvc-v2-40k-f0", sizes("40k", 768, True)),
    Variant("rvc-v2-40k", sizes("40k", 768, False)),
    Variant("rvc-v2-48k-f0", sizes("48k", 768, True)),
    Variant("rvc-v2-48k", sizes("48k", 768, False)),
    Variant("rvc-v2-32k-f0", sizes("32k", 768, True)),
    Variant("rvc-v2-32k", sizes("32k", 768, False)),
    Variant("applio-v2-48k-f0", sizes("48k", 768, True), "applio"),
    Variant("applio-v2-24k-f0", sizes("24k", 768, True, parametrized=True), "applio-raw"),
    Variant("training-v2-40k-f0", sizes("40k", 768, True), "training"),
    Variant("rvc-v2-40k-f0-short-blocks", sizes("40k", 768, True, paired=False)),
    Variant("rvc-v1-48k-f0-folded", sizes("48k-v1", 256, True), "folded"),
    *(
        Variant(f"{name}-v2-{rate}-f0", replace(sizes(rate, 768, True, parametrized=True), decoder=title), "applio")
        for name, title in (("mrf", "MRF HiFi-GAN"), ("refinegan", "RefineGAN"))
        for rate in ("24k", "32k", "40k", "48k")
    ),
]


# Those that the host's ordinary tests keep; the others differ from them in dimensions alone.
PINNED = [
    "rvc-v1-48k-f0", "rvc-v2-40k", "applio-v2-48k-f0", "applio-v2-24k-f0", "training-v2-40k-f0", "rvc-v1-48k-f0-folded",
    "mrf-v2-24k-f0", "refinegan-v2-32k-f0",
]


def random_voice(sizes, seed):
    """A voice with random weights that is neither silent nor at its limit."""
    torch.manual_seed(seed)
    voice = Voice(sizes).eval()
    with torch.no_grad():
        for name, parameter in voice.named_parameters():
            if name.endswith(("weight_g", "original0")):
                parameter.uniform_(0.5, 1.5)
            elif sizes.decoder == "RefineGAN" and parameter.dim() == 1 and name.endswith("weight"):
                # Levels of noise.
                parameter.uniform_(0.1, 0.5)
            elif name.endswith(("gamma", "bias", "beta")):
                parameter.add_(torch.randn_like(parameter) * 0.1)
        # Loud enough for differences to show.
        peak = voice.infer(inputs(sizes, 16)).abs().max().atanh()
        last = dict(voice.dec.conv_post.named_parameters())
        loudness = last.get("parametrizations.weight.original0", last.get("weight"))
        loudness.mul_(0.8 / peak)
        if voice.dec.conv_post.bias is not None:
            voice.dec.conv_post.bias.mul_(0.8 / peak)
    return voice


def checkpoint(variant, voice):
    """What a program would save of the voice; the voice is given the values that are saved."""
    if variant.form == "folded":
        for module in [module for module in voice.modules() if hasattr(module, "weight_g")]:
            remove_weight_norm(module)
    state = OrderedDict((key, value.clone()) for key, value in voice.state_dict().items())
    half = variant.form in ("rvc", "folded", "applio")
    if half:
        state = OrderedDict((key, value.half()) for key, value in state.items())
        voice.load_state_dict({key: value.float() for key, value in state.items()})
    s = variant.sizes
    version = "v2" if s.content == 768 else "v1"
    rate = 100 * math.prod(s.rates)
    if variant.form == "training":
        # A recogniser of recordings that only training needs, and the state of an optimiser.
        state["enc_q.pre.weight"] = torch.randn(2, 3, 1)
        moments = {0: {"step": torch.tensor(7.0), "exp_avg": torch.randn(3, 2)}}
        groups = [{"lr": 1e-4, "betas": (0.8, 0.99), "eps": 1e-9, "params": [0]}]
        optimizer = {"state": moments, "param_groups": groups}
        return {"model": state, "iteration": 7, "optimizer": optimizer, "learning_rate": 1e-4}
    saved = OrderedDict(weight=dict(state), config=s.config(), version=version)
    if variant.form in ("rvc", "folded"):
        saved.update(info="200epoch", sr=f"{rate // 1000}k", f0=int(s.pitch))
    else:
        saved.update(
            epoch=200, step=4000, sr=rate, f0=s.pitch, creation_date="2026-01-01T00:00:00",
            model_hash="0" * 64, dataset_length=None, model_name="A Voice", author="Somebody",
            embedder_model="contentvec", speakers_id=1, vocoder=s.decoder,
        )
    saved.update(variant.facts)
    return saved


def wave(count, *factors):
    """Numbers that look random and that every language computes alike: sin(a n) cos(b n)."""
    n = torch.arange(count, dtype=torch.float64)
    return torch.sin(factors[0] * n) * torch.cos(factors[1] * n)


def inputs(sizes, frames, length=None):
    """What a voice hears, computed by formulas that the host's tests repeat."""
    upp = math.prod(sizes.rates)
    single = torch.float32
    given = {
        "phone": wave(frames * sizes.content, 0.37, 0.011).reshape(1, frames, -1).to(single),
        "phone_lengths": torch.tensor([frames if length is None else length]),
        "ds": torch.tensor([1]),
        "rnd": (0.66666 * wave(sizes.inter * frames, 1.7, 0.3)).reshape(1, sizes.inter, -1).to(single),
    }
    if sizes.pitch:
        n = torch.arange(frames)
        voiced = (n % 7 != 3).to(torch.float64)
        given["pitchf"] = (voiced * (180.0 + 9.5 * n)).reshape(1, -1).to(single)
        given["pitch"] = (1 + (n * 13) % 255).reshape(1, -1)
        given["nsf_noise"] = wave(frames * upp, 2.1, 0.7).reshape(1, -1, 1).to(single)
    return given
