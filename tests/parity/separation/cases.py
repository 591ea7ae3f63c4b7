"""Every family and variant: a package, and what the original makes of a recording with the same weights."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import numpy as np
import torch

import networks
import originals
import packages

RATE = packages.RATE
SPLITS = ["drums", "bass", "other", "vocals"]


@dataclass
class Case:
    """A package of a separator, and its reference."""

    name: str
    family: str
    variant: str
    original: str
    lengths: list[int]
    write: Callable[[Path], None]
    """Writes the package, and those that it needs, into a folder of packages; its own is called as the case."""
    reference: Callable[[np.ndarray], dict]
    """The estimated stems of a recording `[2, L]`, by name."""
    golden: list[int] = field(default_factory=list)
    """The lengths that the suite checks without Python."""
    comparable: Callable[[int], int] = lambda length: length
    """How many samples of a recording of some length are as in the original."""


def package(name, **facts):
    """What writes the package of a case into a folder of packages."""
    facts = {"task": "vocals", "residual": "backing", **facts}
    return lambda models: packages.write(models / name, id=f"parity.{name}", **facts)


# MDX-Net -------------------------------------------------------------------------------------------------------------

MDX_SIZES = {"usual": (128, 32, 60, 17), "odd": (120, 32, 48, 17), "odd-2": (150, 30, 76, 25)}


def mdx(name, variant, *, sizes="odd", overlap=0.25, denoise=False, seed=1, lengths=None, stem="vocals"):
    n_fft, hop, bins, frames = MDX_SIZES[sizes]
    chunk, trim = hop * (frames - 1), n_fft // 2
    graph = networks.spectra(seed, 4, 4, bins, frames)
    shape = [1, 4, bins, frames]
    other = {"vocals": "backing", "backing": "vocals"}[stem]
    policy = {"frames": frames, "border": trim, "last": "taper", "fill_to": chunk - 2 * trim}
    if overlap:
        policy |= {"overlap": overlap, "window": "hann-symmetric"}
    else:
        policy |= {"step": chunk, "window": "rect"}

    write = package(
        name,
        family="mdx-net",
        stems=[stem],
        residual=other,
        facts={"denoise": denoise},
        graphs={"model.onnx": graph.data},
        tensors=[
            ("in", "input", "mix_spec", shape, "b (c k) f t"),
            ("out", "output", "stems_spec", shape, "b (c k) f t"),
        ],
        sections=[
            ("stft", {"n_fft": n_fft, "hop": hop, "keep_bins": bins, "zero_low_bins": 3}),
            ("chunk", policy),
        ],
    )

    def reference(mix):
        settings = dict(n_fft=n_fft, hop=hop, bins=bins, frames=frames, overlap=overlap, denoise=denoise)
        return {stem: originals.mdx_net(graph, mix, **settings)}

    gen = chunk - 2 * trim
    lengths = lengths or [chunk // 3, gen, chunk, 3 * gen + 117]
    return Case(name, "MDX-Net", variant, "audio-separator 0.47.1 `demix`", lengths, write, reference, lengths)


# Demucs --------------------------------------------------------------------------------------------------------------

DEMUCS_SAMPLES = 1_000
DEMUCS_POLICY = {"samples": DEMUCS_SAMPLES, "overlap": 0.25, "window": "triangle", "last": "center"}


def demucs_package(models, name, network, graphs, *, stems=None, bag=None, shifts=0):
    hop, n_fft, frames = network.hop_length, network.nfft, -(-DEMUCS_SAMPLES // network.hop_length)
    stems = stems or network.sources
    spec, wave = [4, n_fft // 2, frames], [2, DEMUCS_SAMPLES]
    stft = {"n_fft": n_fft, "hop": hop, "normalized": True, "keep_bins": n_fft // 2}
    stft |= {"extra_pad_left": hop // 2 * 3, "frames": frames, "frame_offset": 2}
    packages.write(
        models / name,
        id=f"parity.{name}",
        family="demucs-split",
        task="stems",
        stems=stems,
        residual="other",
        facts={"normalize": "mean-std-mono"},
        graphs=graphs,
        tensors=[
            ("in", "mix", "mix_wave", [1, *wave], "b c n"),
            ("in", "spec", "mix_spec", [1, *spec], "b (c k) f t"),
            ("out", "time", "stems_wave", [1, len(stems), *wave], "b s c n"),
            ("out", "spec_out", "stems_spec", [1, len(stems), *spec], "b s (c k) f t"),
        ],
        sections=[("stft", stft), ("chunk", {**DEMUCS_POLICY, "shifts": shifts}), *([("bag", bag)] if bag else [])],
    )


def shift_offsets(graphs, shifts):
    """The places that the host takes in place of chance: spread evenly over half a second, graph after graph."""
    window = RATE // 2
    return [window * (2 * (shift * graphs + graph) + 1) // (2 * graphs * shifts) for graph in range(graphs) for shift in range(shifts)]


def demucs_split(name, variant, *, sources=SPLITS, shifts=0, lengths=None):
    network = networks.htdemucs(3, sources, rate=RATE, samples=DEMUCS_SAMPLES)
    graph = networks.split(network, DEMUCS_SAMPLES)

    def write(models):
        demucs_package(models, name, network, {"model.onnx": graph.data}, shifts=shifts)

    def reference(mix):
        return originals.demucs(network, mix, shifts=shifts, offsets=shift_offsets(1, max(shifts, 1)))

    golden = [] if lengths else [750, 2_501]
    lengths = lengths or [333, 750, DEMUCS_SAMPLES, 2_501]
    return Case(name, "Demucs v4", variant, "demucs 4.1.0 `apply_model`", lengths, write, reference, golden)


def demucs_bag(name):
    nets = [networks.htdemucs(seed, SPLITS, rate=RATE, samples=DEMUCS_SAMPLES) for seed in (5, 6)]
    graphs = [networks.split(net, DEMUCS_SAMPLES) for net in nets]
    weights = [[1.0, 0.0, 0.5, 0.25], [0.0, 1.0, 0.5, 0.75]]

    def write(models):
        files = {f"{at}.onnx": graph.data for at, graph in enumerate(graphs)}
        demucs_package(models, name, nets[0], files, bag={"graphs": list(files), "weights": weights})

    def reference(mix):
        from demucs.apply import BagOfModels

        return originals.demucs(BagOfModels(nets, weights=weights), mix)

    lengths = [500, 1_801]
    variant = "bag with weights, split"
    return Case(name, "Demucs v4", variant, "demucs 4.1.0 `apply_model`", lengths, write, reference)


def demucs_in_graph(name, variant, *, sources=SPLITS, weights=None, shifts=0, lengths=(2, 400, DEMUCS_SAMPLES, 2_250)):
    count, stems = len(weights or [None]), len(sources)
    graphs = [networks.waves(seed, stems, DEMUCS_SAMPLES) for seed in range(7, 7 + count)]
    files = {f"{at}.onnx": graph.data for at, graph in enumerate(graphs)}

    wave = [2, DEMUCS_SAMPLES]
    bag = [("bag", {"graphs": list(files), "weights": weights})] if weights else []
    write = package(
        name,
        family="wave-to-stems",
        task="stems",
        stems=sources,
        residual="other",
        facts={"normalize": "mean-std-mono"},
        graphs=files,
        tensors=[
            ("in", "mix", "mix_wave", [1, *wave], "b c n"),
            ("out", "stems", "stems_wave", [1, stems, *wave], "b s c n"),
        ],
        sections=[("chunk", {**DEMUCS_POLICY, "shifts": shifts}), *bag],
    )

    def reference(mix):
        from demucs.apply import BagOfModels

        nets = [originals.Waves(graph, sources, rate=RATE, samples=DEMUCS_SAMPLES) for graph in graphs]
        model = BagOfModels(nets, weights=weights) if weights else nets[0]
        return originals.demucs(model, mix, shifts=shifts, offsets=shift_offsets(count, max(shifts, 1)))

    lengths = list(lengths)
    return Case(name, "Demucs v4", variant, "demucs 4.1.0 `apply_model`", lengths, write, reference, lengths[:-1])


# MDX23C, RoFormer ----------------------------------------------------------------------------------------------------


def mdx23c(name, variant, policy, reference_of, lengths):
    graph = networks.waves(9, 2, 512)

    write = package(
        name,
        family="wave-to-stems",
        stems=["vocals", "backing"],
        graphs={"model.onnx": graph.data},
        tensors=[
            ("in", "mix", "mix_wave", [1, 2, 512], "b c n"),
            ("out", "stems", "stems_wave", [1, 2, 2, 512], "b s c n"),
        ],
        sections=[("chunk", {"samples": 512, **policy})],
    )

    def reference(mix):
        return reference_of(lambda wave: graph(wave)[0], mix)

    original = "audio-separator 0.47.1 `demix`" if "PAS" in variant else "rule of MSST's `demix`"
    variant = variant.replace("PAS: ", "").replace("MSST: ", "")
    return Case(name, "MDX23C", variant, original, lengths, write, reference, lengths)


def pas_mdxc(network, mix):
    return originals.mdxc(network, mix, stems=["vocals", "backing"], chunk=512, overlap=8, roformer=False)


def msst_two(network, mix):
    return {"vocals": originals.msst(network, mix, chunk=512, overlaps=4)[0]}


MSST_POLICY = {"edge": "reflect", "window": "linear-fade", "last": "mirror"}


def transformed(core, n_fft, hop):
    """A network of waves: a spectrum, the graph's core, and back."""
    window = torch.hann_window(n_fft)

    def network(wave):
        sound = torch.from_numpy(np.ascontiguousarray(wave[0], dtype=np.float32))
        spectrum = torch.stft(sound, n_fft, hop, window=window, return_complex=True)
        found = torch.istft(core(spectrum), n_fft, hop, window=window, length=sound.shape[-1])
        return found.numpy()[None, None]

    return network


def roformer_mask(name):
    n_fft, hop, frames = 128, 16, 33
    chunk, bins = hop * (frames - 1), n_fft // 2 + 1
    graph = networks.merged(11, bins, frames)

    def core(spectrum):
        merged = spectrum.permute(1, 0, 2).reshape(2 * bins, frames)
        mask = graph(torch.view_as_real(merged)[None].numpy())[0][0, 0]
        mask = torch.view_as_complex(torch.from_numpy(mask).contiguous()).reshape(bins, 2, frames).permute(1, 0, 2)
        return spectrum * mask

    shape = [2 * bins, frames, 2]
    write = package(
        name,
        family="roformer-spec",
        stems=["vocals"],
        graphs={"model.onnx": graph.data},
        tensors=[
            ("in", "spec", "mix_spec", [1, *shape], "b (f c) t k"),
            ("out", "mask", "stems_spec", [1, 1, *shape], "b s (f c) t k"),
        ],
        sections=[
            ("stft", {"n_fft": n_fft, "hop": hop, "output": "mask"}),
            ("chunk", {"frames": frames, "step": chunk // 8, "window": "hamming-symmetric", "last": "align-end"}),
        ],
    )

    def reference(mix):
        network = transformed(core, n_fft, hop)
        return originals.mdxc(network, mix, stems=["vocals"], chunk=chunk, overlap=8, roformer=True)

    variant = "mask, bins and channels in one axis"
    lengths = [chunk, chunk + 1, 3 * chunk + 100]
    return Case(name, "RoFormer", variant, "audio-separator 0.47.1 `demix`", lengths, write, reference, lengths)


def roformer_parts(name):
    n_fft, hop, frames = 120, 20, 25
    chunk, bins = hop * (frames - 1), n_fft // 2 + 1
    graph = networks.parts(12, bins, frames)

    def core(spectrum):
        real, imaginary = graph(spectrum.real[None].numpy(), spectrum.imag[None].numpy())
        return torch.complex(torch.from_numpy(real[0]), torch.from_numpy(imaginary[0]))

    shape = [1, 2, bins, frames]
    write = package(
        name,
        family="roformer-spec",
        stems=["vocals"],
        graphs={"model.onnx": graph.data},
        tensors=[
            ("in", "spec_real", "mix_spec_re", shape, "b c f t"),
            ("in", "spec_imag", "mix_spec_im", shape, "b c f t"),
            ("out", "out_real", "stems_spec_re", shape, "b c f t"),
            ("out", "out_imag", "stems_spec_im", shape, "b c f t"),
        ],
        sections=[
            ("stft", {"n_fft": n_fft, "hop": hop}),
            ("chunk", {"frames": frames, "step": chunk // 2, "border": chunk // 2, **MSST_POLICY}),
        ],
    )

    def reference(mix):
        return {"vocals": originals.msst(transformed(core, n_fft, hop), mix, chunk=chunk, overlaps=2)[0]}

    lengths = [200, 300, chunk, 2 * chunk, 3 * chunk + 77]
    variant = "spectrum, real and imaginary part in tensors of their own"
    return Case(name, "RoFormer", variant, "rule of MSST's `demix`", lengths, write, reference, lengths)


# Spleeter, ensembles -------------------------------------------------------------------------------------------------


def spleeter(name):
    n_fft, hop, bins, frames = 128, 32, 32, 8
    stems = ["vocals", "backing"]
    graphs = [networks.stretches(seed, frames, bins) for seed in (13, 14)]

    files = {f"{stem}.onnx": graph.data for stem, graph in zip(stems, graphs)}
    shape = [2, 1, frames, bins]
    write = package(
        name,
        family="spleeter-mask",
        stems=stems,
        graphs=files,
        tensors=[
            ("in", "x", "mix_magnitude", shape, "c b t f"),
            ("out", "y", "stems_magnitude", shape, "c b t f"),
        ],
        sections=[
            ("bag", {"graphs": list(files), "of": "stems"}),
            (
                "stft",
                {
                    "n_fft": n_fft,
                    "hop": hop,
                    "center": False,
                    "pad": "none",
                    "keep_bins": bins,
                    "inverse_scale": 2 / 3,
                    "output": "magnitude",
                },
            ),
            ("chunk", {"frames": frames, "step": frames * hop, "border": n_fft, "window": "rect", "divisor": "one"}),
        ],
    )

    def reference(mix):
        found = originals.spleeter(graphs, mix, n_fft=n_fft, hop=hop, bins=bins, frames=frames)
        return dict(zip(stems, found))

    lengths = [100, 352, 256, 1_500]
    variant = "a graph for each stem (sherpa-onnx)"
    return Case(name, "Spleeter", variant, "rule of Spleeter", lengths, write, reference, lengths)


def ensemble(method, domain, weights=None):
    name = f"ensemble-{method}-{domain}"
    members = [
        mdx("member-a", "", seed=21),
        mdx("member-b", "", seed=22, sizes="usual"),
        mdx("member-c", "", seed=23, sizes="odd-2", stem="backing"),
    ]

    facts = {"members": [f"parity.{member.name}" for member in members], "method": method, "domain": domain}
    facts |= {"weights": weights} if weights else {}
    own = package(name, family="ensemble", stems=["vocals"], sections=[("ensemble", facts)])

    def write(models):
        for member in members:
            member.write(models)
        own(models)

    def reference(mix):
        sounds = []
        for member in members:
            found = member.reference(mix)
            sounds.append(found["vocals"] if "vocals" in found else mix - found["backing"])
        short = {"average": "avg"}.get(method, method)
        algorithm = f"{short}_{'wave' if domain == 'wave' else 'fft'}"
        return {"vocals": originals.ensemble(algorithm, sounds, weights)}

    original = "audio-separator 0.47.1 `Ensembler`"
    variant = f"{method}, {domain}" + (", weights" if weights else "")
    lengths = [2_600, 4_096, 5_000] if domain == "spectrum" else [1_100, 300]
    golden = [] if (method, domain) == ("average", "spectrum") else lengths[:1]
    case = Case(name, "Ensemble", variant, original, lengths, write, reference, golden)
    if domain == "spectrum" and method != "average":
        # Behind the middle of its last frame the original divides by next to nothing; one frame more is heard here.
        case.comparable = lambda length: length // 1_024 * 1_024
    return case


def cases():
    """All of them."""
    pas = {"step": 64, "border": 448, "window": "rect", "divisor": "constant"}
    msst = {"step": 128, "border": 384, **MSST_POLICY}
    return [
        mdx("mdx", "n_fft a power of two", sizes="usual"),
        mdx("mdx-odd", "n_fft no power of two"),
        mdx("mdx-odd-denoise", "denoise", denoise=True),
        mdx("mdx-no-overlap", "no overlap", overlap=0, sizes="odd-2"),
        mdx("mdx-half", "overlap 0.5, instrumental", overlap=0.5, sizes="odd-2", stem="backing"),
        demucs_split("demucs-split", "split, 4 stems"),
        demucs_split("demucs-six", "split, 6 stems", sources=[*SPLITS, "guitar", "piano"], lengths=[1_700]),
        demucs_split("demucs-shifts", "split, 2 shifts", shifts=2, lengths=[600, 1_900]),
        demucs_bag("demucs-bag"),
        demucs_in_graph("demucs-in-graph", "transforms in the graph"),
        demucs_in_graph(
            "demucs-graph-six",
            "transforms in the graph, 6 stems, bag with weights, 3 shifts",
            sources=[*SPLITS, "guitar", "piano"],
            weights=[[1.0, 0.0, 0.5, 0.25, 1.0, 1.0], [0.0, 1.0, 0.5, 0.75, 0.0, 1.0]],
            shifts=3,
            lengths=[1_500, 300],
        ),
        mdx23c("mdx23c", "PAS: overlap 8, constant divisor", pas, pas_mdxc, [300, 512, 1_333]),
        mdx23c("mdx23c-msst", "MSST: ramps, mirrored ends", msst, msst_two, [200, 300, 512, 768, 1_333]),
        roformer_mask("roformer-mask"),
        roformer_parts("roformer-parts"),
        spleeter("spleeter"),
        ensemble("average", "wave", [1.0, 2.0, 0.5]),
        ensemble("median", "wave"),
        ensemble("min", "wave"),
        ensemble("max", "wave"),
        ensemble("average", "spectrum"),
        ensemble("median", "spectrum"),
        ensemble("min", "spectrum"),
        ensemble("max", "spectrum"),
    ]
