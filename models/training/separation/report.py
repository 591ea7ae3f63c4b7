"""Writes the tables of the separators' measurements from the packages' metrics.json."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

HEAD = """# Separation: what comes out

The networks of the packages `vocalhost.stems-1`, `vocalhost.vocals-1` and `vocalhost.lead-1`, as they are stored, run by ONNX
Runtime on one thread in chunks; `vocalhost.vocals-2`, which vocal separations use, is the vocals of the first. SI-SDR in dB over both channels; improvement is against the
input itself. No figure here comes from listening.

- **Mixes**: 24 songs of 20 s with seeds and singers that training never had (speakers slt, ked, pc, krb, machac and
  other settings of espeak-ng), every fourth spoken over, half of the sung ones with a harmony, four of five with a room; drums
  -6 to 5, bass -7 to 3, other -6 to 4 dB against the vocals. *Other engines*: 16 of them are played by the sound bank of Csound or by
  TiMidity with Freepats, which training never heard; *known engines*: 8 by those of training.
- **Recordings**: speech by ten real persons (alsa-utils, asterisk-core-sounds, ktuberling-data) over 23 pieces of recorded
  music (games), 6 to 0 dB below it in loudness, every other one in a room. Never trained on.
- **Vocals with harmonies and rooms**: 24 of 20 s; two of three with a harmony beside the lead, three of four wet.
  *Dry* is what is left when the reverb is taken out; *lead alone* has reverb only, and *persons alone* too: the ten real persons
  for 20 s each, in a room 4 dB and in one 12 dB below them.

`python -m separation --data DATA --trained TRAINED publish TASK` in `models/training` makes these figures (the set-up is in
its `separation/README.md`), `python -m separation report` this page. They were made on virtual machines with 2 cores, most of the
time beside other work.
"""


def published_on(file: Path) -> str:
    """When a package was last published with its figures."""
    log = ["git", "log", "-1", "--format=%as", "--", file.name]
    return subprocess.run(log, cwd=file.parent, check=True, capture_output=True, text=True).stdout.strip()


def write(models: Path, page: Path) -> None:
    """One section a package that is there."""
    out = [HEAD]
    for package in ("stems-1", "vocals-2", "vocals-1", "lead-1"):
        file = models / f"vocalhost.{package}" / "metrics.json"
        if not file.exists():
            continue
        metrics = json.loads(file.read_text())
        out.append(f"## {package}\n\nPublished on {published_on(file)}.\n")
        out.append("| what | files | input | result | improvement, median | mean | worst | known engines | other engines |")
        out.append("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
        for what, row in metrics["held_out"].items():
            apart = [row.get(f"improvement_median_{engines}_engines_db") for engines in ("known", "other")]
            cells = [row["files"], row["si_sdr_in_db"], row["si_sdr_out_db"], row["improvement_median_db"],
                     row["improvement_mean_db"], row["improvement_min_db"], *apart]  # fmt: skip
            shown = ["" if cell is None else f"{cell:.1f}" if isinstance(cell, float) else str(cell) for cell in cells]
            out.append(f"| {what} | " + " | ".join(shown) + " |")
        out.append("\n| wanted | at least | reached |\n|---|--:|--:|")
        for gate in metrics["gates"]:
            mark = "" if gate["reaches_target"] else " (not reached)"
            out.append(f"| {gate['figure'].replace('_', ' ')} | {gate['target']:.1f} | {gate['value']:.1f}{mark} |")
        if "training" not in metrics:
            out.append("")
            continue
        graph, training = metrics["graph"], metrics["training"]
        deep = training.get("deep")
        waves = f" (of the waves: {deep['steps']} steps, {deep['cpu_seconds'] / 60:.0f} CPU-minutes)" if deep else ""
        out.append(
            f"\n{training['steps']} steps, {training['cpu_seconds'] / 60:.0f} CPU-minutes{waves}. "
            f"{graph['parameters'] / 1e6:.2f} million weights, {graph['bytes'] / 1e6:.1f} MB. Chunks have {metrics['chunk']['frames']} "
            f"frames and overlap by {metrics['chunk']['overlap']}. The network alone takes "
            f"{graph['real_time_factor_net_one_core']:.3f} of real time on one (busy) core. The graph differs from the "
            f"trained network by at most {graph['onnx_against_torch_max']:.1e}; fp16 storage changes the result "
            f"{graph['fp16_storage_snr_db']:.0f} dB below it.\n"
        )
    page.write_text("\n".join(out))
