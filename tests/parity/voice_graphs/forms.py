"""Voices of RVC as its tools export them: the network of `../checkpoints/network.py` under the names that RVC's own exporter and
w-okada's give to inputs and outputs, in single and in half precision, traced by torch."""

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "checkpoints"))

import torch
from torch import nn

from variants import inputs, random_voice, sizes

# Frames that exporters trace with.
TRACED = 64
# What RVC scales the noise of its prior by.
SCALE = 0.66666


@dataclass(frozen=True)
class Form:
    """A kind of export."""

    name: str
    maker: str
    decoder: str
    content: int
    pitch: bool = True
    half: bool = False

    def sizes(self):
        return sizes(self.decoder, self.content, self.pitch).tiny()


FORMS = [
    Form("rvc-v2-40k-f0", "rvc", "40k", 768),
    Form("rvc-v1-48k-f0", "rvc", "48k-v1", 256),
    Form("rvc-v2-40k-f0-half", "rvc", "40k", 768, half=True),
    Form("w-okada-v2-40k-f0", "w-okada", "40k", 768),
    Form("w-okada-v1-40k-f0", "w-okada", "40k", 256),
    Form("w-okada-v1-40k-f0-half", "w-okada", "40k", 256, half=True),
    Form("w-okada-v2-48k-f0-half", "w-okada", "48k", 768, half=True),
    Form("w-okada-v1-40k", "w-okada", "40k", 256, pitch=False),
    Form("w-okada-v1-40k-half", "w-okada", "40k", 256, pitch=False, half=True),
]


class Export(nn.Module):
    """The voice with the random numbers that the exporters leave inside."""

    def __init__(self, voice, form):
        super().__init__()
        # At the top, so that the weights have the names that they have in a voice.
        self.enc_p, self.flow, self.dec, self.emb_g = voice.enc_p, voice.flow, voice.dec, voice.emb_g
        self.upp = math.prod(form.sizes().rates)

    def run(self, phone, lengths, pitch, pitchf, speaker, noise):
        speaker = self.emb_g(speaker)[:, :, None]
        mean, log_deviation, mask = self.enc_p(phone, pitch, lengths)
        noise = torch.randn_like(mean) * SCALE if noise is None else noise
        latent = (mean + log_deviation.exp() * noise) * mask
        latent = self.flow.backwards(latent, mask, speaker) * mask
        if pitchf is None:
            return self.dec(latent, None, speaker, None)
        sine = pitchf[:, :, None].expand(-1, -1, self.upp).reshape(1, -1, 1)
        return self.dec(latent, pitchf, speaker, torch.randn_like(sine))


class OfRvc(Export):
    def forward(self, phone, lengths, pitch, pitchf, speaker, noise):
        return self.run(phone, lengths, pitch, pitchf, speaker, noise)


class OfOkada(Export):
    def forward(self, feats, lengths, pitch, pitchf, speaker):
        return self.run(feats, lengths, pitch, pitchf, speaker, None).reshape(-1).clip(-1, 1)


class OfOkadaWithoutPitch(Export):
    def forward(self, feats, lengths, speaker):
        return self.run(feats, lengths, None, None, speaker, None).reshape(-1).clip(-1, 1)


# The graph's names for what `inputs` calls otherwise.
NAMES = {
    "rvc": {name: name for name in ("phone", "phone_lengths", "pitch", "pitchf", "ds", "rnd")},
    "w-okada": {"phone": "feats", "phone_lengths": "p_len", "pitch": "pitch", "pitchf": "pitchf", "ds": "sid"},
}
MODULES = {("rvc", True): OfRvc, ("w-okada", True): OfOkada, ("w-okada", False): OfOkadaWithoutPitch}


def voice_of(form, seed):
    """A voice whose weights have the precision of the form, computing in single precision."""
    voice = random_voice(form.sizes(), seed)
    return voice.half().float() if form.half else voice


def write(form, voice, path):
    """Exports a voice in the way of its form."""
    given = inputs(form.sizes(), TRACED)
    names = {ours: theirs for ours, theirs in NAMES[form.maker].items() if ours in given}
    module = MODULES[form.maker, form.pitch](voice, form).eval()
    precision = torch.float16 if form.half else torch.float32
    # The pitch stays in single precision.
    narrow = lambda name, value: value.to(precision) if value.is_floating_point() and name != "pitchf" else value
    if form.half:
        voice.half()
    arguments = tuple(narrow(name, given[name]) for name in names)
    axes = {names[name]: {2 if name == "rnd" else 1: "T"} for name in ("phone", "pitch", "pitchf", "rnd") if name in names}
    torch.onnx.export(
        module, arguments, str(path), input_names=list(names.values()), output_names=["audio"], dynamic_axes=axes,
        opset_version=17, dynamo=False, do_constant_folding=form.maker == "w-okada",
    )
    voice.float()
    if form.maker == "w-okada":
        describe(form, path)


def describe(form, path):
    """What w-okada's exporter writes into the file beside the graph."""
    import onnx

    model = onnx.load(path)
    entry = model.metadata_props.add()
    entry.key = "metadata"
    entry.value = json.dumps({
        "application": "VC_CLIENT", "version": "2.1", "modelType": "pyTorchRVCv2" if form.content == 768 else "pyTorchRVC",
        "samplingRate": 100 * math.prod(form.sizes().rates), "f0": form.pitch, "embChannels": form.content,
        "embedder": "hubert_base", "embOutputLayer": 12 if form.content == 768 else 9, "useFinalProj": form.content == 256,
    })
    onnx.save(model, path)
