"""Content encoders of HuBERT's base kind with random weights, as transformers and fairseq save them. The originals are the classes
of transformers."""

import argparse
import json
import sys
import types

import torch
from safetensors.torch import save_file
from torch import nn
from transformers import HubertConfig, HubertModel

from waves import wave

PROJECTED, LAYERS = 9, 12
# Nothing but the number of channels and heads differs from the base size.
TINY = dict(
    hidden_size=16, intermediate_size=12, num_attention_heads=4, conv_dim=[8] * 7, num_conv_pos_embeddings=6,
    num_conv_pos_embedding_groups=4, classifier_proj_size=6,
)
# What fairseq calls the parts that transformers has other names for; the longer names first.
FAIRSEQ = [
    ("feature_projection.layer_norm.", "layer_norm."),
    ("feature_projection.projection.", "post_extract_proj."),
    ("encoder.pos_conv_embed.conv.", "encoder.pos_conv.0."),
    (".parametrizations.weight.original0", ".weight_g"),
    (".parametrizations.weight.original1", ".weight_v"),
    (".conv.weight", ".0.weight"),
    ("conv_layers.0.layer_norm.", "conv_layers.0.2."),
    (".attention.", ".self_attn."),
    (".feed_forward.intermediate_dense.", ".fc1."),
    (".feed_forward.output_dense.", ".fc2."),
    ("masked_spec_embed", "mask_emb"),
]


class WithProjection(HubertModel):
    """An encoder with the last projection, as Applio and others keep ContentVec."""

    def __init__(self, config):
        super().__init__(config)
        self.final_proj = nn.Linear(config.hidden_size, config.classifier_proj_size)


def encoder(kind, seed, full):
    torch.manual_seed(seed)
    model = kind(HubertConfig(**({} if full else TINY))).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith(("original0", "weight_g")):
                parameter.uniform_(0.5, 1.5)
            elif parameter.dim() > 1:
                parameter.normal_(0, parameter[0].numel() ** -0.5)
            elif name.endswith("norm.weight"):
                parameter.uniform_(0.8, 1.2)
            else:
                parameter.normal_(0, 0.1)
    return model


@torch.no_grad()
def vectors(model, samples):
    """What RVC listens to, by the names that the host gives it."""
    given = model(wave(samples)[None], output_hidden_states=True).hidden_states
    found = {}
    if hasattr(model, "final_proj"):
        found = {f"units{layer}": model.final_proj(given[layer]) for layer in (PROJECTED, LAYERS)}
    return found | {f"unit{LAYERS}": given[LAYERS]}


def plain(model):
    return {name: tensor.clone().contiguous() for name, tensor in model.state_dict().items()}


def as_fairseq(model):
    """The weights under fairseq's names, with what it keeps besides."""
    weights = plain(model)
    for ours, theirs in FAIRSEQ:
        weights = {name.replace(ours, theirs): tensor for name, tensor in weights.items()}
    # The words that were to be guessed, which nobody needs who only listens.
    weights["label_embs_concat"] = torch.randn(5, 6)
    names = "fairseq", "fairseq.data", "fairseq.data.dictionary"
    modules = {name: types.ModuleType(name) for name in names}
    words = type("Dictionary", (), {"__module__": names[-1], "__qualname__": "Dictionary"})
    modules[names[-1]].Dictionary = words
    sys.modules |= modules
    known = words()
    known.symbols, known.indices = ["a", "b"], {"a": 0, "b": 1}
    settings = {
        "_name": "hubert", "encoder_attention_heads": model.config.num_attention_heads, "layer_norm_first": False,
        "extractor_mode": "default", "activation_fn": "gelu", "final_dim": model.config.classifier_proj_size,
    }
    return {
        "args": None, "cfg": {"task": {"_name": "hubert_pretraining"}, "model": settings}, "model": weights,
        "task_state": {"dictionaries": [known]},
    }


def save_safetensors(model, folder):
    save_file(plain(model), folder / "model.safetensors", metadata={"format": "pt"})
    return ["model.safetensors", config(model, folder)]


def save_bin(model, folder):
    """Under the names of a network with a recogniser behind it, which older versions kept, too."""
    weights = {f"hubert.{name}": tensor for name, tensor in plain(model).items()}
    weights = {
        name.replace("parametrizations.weight.original0", "weight_g").replace(
            "parametrizations.weight.original1", "weight_v"
        ): tensor
        for name, tensor in weights.items()
    }
    torch.save(weights, folder / "pytorch_model.bin")
    return ["pytorch_model.bin", config(model, folder)]


def config(model, folder):
    settings = model.config.to_dict() | {"architectures": [type(model).__name__]}
    (folder / "config.json").write_text(json.dumps(settings, default=str))
    return "config.json"


def save_fairseq_old(model, folder):
    """In half precision and in the format before torch 1.6; the network is given the values that are saved."""
    model.half().float()
    saved = as_fairseq(model)
    saved["model"] = {name: tensor.half() for name, tensor in saved["model"].items()}
    torch.save(saved, folder / "hubert_base.pt", _use_new_zipfile_serialization=False)
    return ["hubert_base.pt"]


def save_fairseq(model, folder):
    """In the format since torch 1.6, of a release that still kept its arguments as such."""
    saved = as_fairseq(model) | {"args": argparse.Namespace(arch="hubert")}
    torch.save(saved, folder / "checkpoint_best_legacy_500.pt")
    return ["checkpoint_best_legacy_500.pt"]


# By name: the class, how it is saved, and the folder that the fixture lies in.
CASES = {
    "transformers, safetensors": (WithProjection, save_safetensors, "contentvec"),
    "transformers, pytorch_model.bin, no projection": (HubertModel, save_bin, "japanese-hubert-base"),
    "fairseq, format before torch 1.6, half precision": (WithProjection, save_fairseq_old, "."),
    "fairseq, format since torch 1.6": (WithProjection, save_fairseq, "."),
}
# Those that the host's ordinary tests keep.
PINNED = [name for name in CASES if name != "fairseq, format since torch 1.6"]
