"""Commands: python -m separation COMMAND. Run it from the folder above this one."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path


def main() -> None:
    """Reads the command line; modules load only as they are needed, for some bring large libraries."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(prog="separation")
    parser.add_argument("--data", type=Path, default=Path("build/separation/data"), help="folder of the sound stores")
    parser.add_argument("--trained", type=Path, default=Path("build/separation/trained"), help="folder of checkpoints")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("backing", "drums", "voices", "speech", "coded"):
        command = commands.add_parser(name, help=f"generate {name}")
        command.add_argument("split", choices=("train",) if name in ("coded", "drums") else ("train", "test"))
        command.add_argument("first", type=int)
        command.add_argument("count", type=int)
        if name == "voices":
            command.add_argument("--kinds", nargs="*", help="instead of a random choice of lead, harmony and choir")
    command = commands.add_parser("train", help="train or go on training")
    command.add_argument("task", choices=("base", "stems", "vocals", "lead"))
    command.add_argument("--seconds", type=float, required=True, help="CPU time in all, earlier runs included")
    command.add_argument("--until", help="HH:MM (UTC) to stop at, whatever was reached")
    command.add_argument("--from", dest="start_from", type=Path, help="a checkpoint to take weights from")
    command.add_argument("--rate", type=float, default=2e-3)
    command.add_argument("--batch", type=int, default=2)
    command.add_argument("--speech", type=float, default=0.28, help="share of examples with speech, not singing")
    command.add_argument("--decay-from", type=float, default=0.6)
    command.add_argument("--seed", type=int, default=1)
    command = commands.add_parser("train-deep", help="train the network of the lowest bins, or go on training it")
    command.add_argument("--seconds", type=float, required=True, help="CPU time in all, earlier runs included")
    command.add_argument("--until", help="HH:MM (UTC) to stop at, whatever was reached")
    command.add_argument("--rate", type=float, default=2e-3)
    command.add_argument("--batch", type=int, default=12)
    command.add_argument("--decay-from", type=float, default=0.45)
    command.add_argument("--seed", type=int, default=1)
    command = commands.add_parser("go-back", help="take a trained network part of the way back to where it began")
    command.add_argument("task", choices=("vocals", "lead"))
    command.add_argument("--from", dest="start_from", type=Path, required=True, help="the checkpoint that it began from")
    command.add_argument("--share", type=float, required=True)
    command = commands.add_parser("restore", help="make a checkpoint of a published package, to go on training from")
    command.add_argument("task", choices=("stems", "vocals", "lead"))
    command.add_argument("--models", type=Path, default=Path(__file__).parents[2], help="folder of the packages")
    command = commands.add_parser("publish", help="export, measure, and write the package if it passes the gate")
    command.add_argument("task", choices=("stems", "vocals", "lead"))
    command.add_argument("--models", type=Path, default=Path(__file__).parents[2], help="folder of the packages")
    command = commands.add_parser("measure", help="measure a published package again, with the manifest as it is here")
    command.add_argument("task", choices=("stems", "vocals", "lead"))
    command.add_argument("--models", type=Path, default=Path(__file__).parents[2], help="folder of the packages")
    command = commands.add_parser("report", help="write the page of measurements from the packages' metrics.json")
    command.add_argument("--models", type=Path, default=Path(__file__).parents[2], help="folder of the packages")
    command.add_argument("--page", type=Path, default=Path(__file__).parents[3] / "docs/measurements/separation.md")
    commands.add_parser("material", help="generate all sounds, those of the test too")
    command = commands.add_parser("all", help="material, training and packages, one after the other")
    command.add_argument("--models", type=Path, default=Path(__file__).parents[2], help="folder of the packages")
    command.add_argument("--scale", type=float, default=1.0, help="multiplies the training times below")
    arguments = parser.parse_args()
    if arguments.command in ("material", "all"):
        _everything(arguments)
    elif arguments.command == "train":
        _train(arguments)
    elif arguments.command == "train-deep":
        _train_deep(arguments)
    elif arguments.command == "go-back":
        from .train import go_back

        checkpoint = arguments.trained / f"{arguments.task}.pt"
        go_back(arguments.task, checkpoint, arguments.start_from, arguments.share)
    elif arguments.command == "restore":
        from .restore import restore

        package = arguments.models / f"vocalhost.{arguments.task}-1"
        difference = restore(arguments.task, package, arguments.trained / f"{arguments.task}.pt")
        print(f"answers differ from the package's by at most {difference:.1e}")
    elif arguments.command == "publish":
        _publish(arguments)
    elif arguments.command == "measure":
        import torch

        from .publish import measure

        torch.set_num_threads(1)
        raise SystemExit(measure(arguments.task, arguments.data, arguments.models))
    elif arguments.command == "report":
        from .report import write

        write(arguments.models, arguments.page)
    else:
        _generate(arguments)


# (generator, split, first, count, kinds of singers)
MATERIAL = (
    ("backing", "test", 0, 16, None),
    ("backing", "test", 100, 8, None),
    ("voices", "test", 0, 16, ["lead", "harmony"]),
    ("voices", "test", 100, 8, ["lead", "harmony"]),
    ("speech", "test", 0, 12, None),
    ("backing", "train", 0, 640, None),
    ("drums", "train", 0, 1200, None),
    ("speech", "train", 0, 240, None),
    ("voices", "train", 0, 320, None),
    # Through codecs, telephones and clipping: copies of sounds that are there by now.
    ("coded", "train", 0, 150, None),
)
# (task, CPU seconds, where the weights come from, learning rate, share of speech, from when on the rate falls)
TRAINING = (
    ("base", 4150, None, 2e-3, 0.28, 0.55),
    ("vocals", 760, "base.pt", 1e-3, 0.42, 0.3),
    ("lead", 730, "base.pt", 3e-3, 0.28, 0.35),
    ("stems", 6890, "base.pt", 7e-4, 0.28, 0.35),
)
PACKAGES = ("stems", "vocals", "lead")
# (CPU seconds in all, learning rate, from when on it falls, seed) of the network of the lowest bins.
DEEP = ((4200, 2e-3, 0.45, 1), (8300, 1.5e-3, 0.6, 31), (14100, 1.5e-3, 0.78, 41), (21500, 1.5e-3, 0.86, 43),
        (28170, 1.5e-3, 0.74, 51))
# How far the vocals go back towards the base network: half way they are better on songs and on recordings than either.
VOCALS_BACK = 0.5
# (task, CPU seconds in all, learning rate, share of speech, from when on the rate falls) of going on from there; the vocals with more
# speech in the end, or songs get better and recordings worse.
TRAINING_ON = (
    ("vocals", 4790, 6e-4, 0.42, 0.47),
    ("vocals", 6440, 5e-4, 0.42, 0.8),
    ("vocals", 9850, 4e-4, 0.6, 0.75),
    ("stems", 13740, 6e-4, 0.28, 0.65),
)


def _everything(arguments: argparse.Namespace) -> None:
    from . import train

    for command, split, first, count, kinds in MATERIAL:
        _generate(argparse.Namespace(data=arguments.data, command=command, split=split, first=first, count=count,
                                     kinds=kinds))  # fmt: skip
    if arguments.command == "material":
        return
    for task, seconds, source, rate, speech, decay_from in TRAINING:
        start_from = arguments.trained / source if source else None
        _train(argparse.Namespace(data=arguments.data, trained=arguments.trained, task=task, until=None, batch=2, seed=1,
                                  seconds=seconds * arguments.scale, start_from=start_from, rate=rate, speech=speech,
                                  decay_from=decay_from))  # fmt: skip
    train.go_back("vocals", arguments.trained / "vocals.pt", arguments.trained / "base.pt", VOCALS_BACK)
    for seed, (task, seconds, rate, speech, decay_from) in enumerate(TRAINING_ON, start=2):
        _train(argparse.Namespace(data=arguments.data, trained=arguments.trained, task=task, until=None, batch=2, seed=seed,
                                  seconds=seconds * arguments.scale, start_from=None, rate=rate, speech=speech,
                                  decay_from=decay_from))  # fmt: skip
    for seconds, rate, decay_from, seed in DEEP:
        _train_deep(argparse.Namespace(data=arguments.data, trained=arguments.trained, until=None,
                                       seconds=seconds * arguments.scale, rate=rate, batch=12, decay_from=decay_from,
                                       seed=seed))  # fmt: skip
    refused = 0
    for task in PACKAGES:
        try:
            _publish(argparse.Namespace(data=arguments.data, trained=arguments.trained, task=task, models=arguments.models))
        except SystemExit as end:
            refused |= end.code
    raise SystemExit(refused)


def _generate(arguments: argparse.Namespace) -> None:
    from . import backing, codecs, kits, singing, speech

    where = (arguments.data, arguments.split, arguments.first, arguments.count)
    if arguments.command == "backing":
        backing.generate(*where)
    elif arguments.command == "drums":
        kits.generate(*where)
    elif arguments.command == "speech":
        speech.generate(*where)
    elif arguments.command == "coded":
        codecs.generate(arguments.data, arguments.first, arguments.count)
    else:
        singing.generate(*where, kinds=tuple(arguments.kinds) if arguments.kinds else None)


def _train(arguments: argparse.Namespace) -> None:
    import torch

    from .train import Trainer

    torch.set_num_threads(1)
    arguments.trained.mkdir(parents=True, exist_ok=True)
    checkpoint = arguments.trained / f"{arguments.task}.pt"
    trainer = Trainer(arguments.task, arguments.data, checkpoint, arguments.start_from, arguments.rate, arguments.seed)
    trainer.run(_end(arguments.until), arguments.seconds, arguments.batch, arguments.speech, arguments.decay_from)


def _train_deep(arguments: argparse.Namespace) -> None:
    import torch

    from .export import DEEP_CHECKPOINT
    from .train_deep import Trainer

    torch.set_num_threads(1)
    arguments.trained.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(arguments.data, arguments.trained / DEEP_CHECKPOINT, arguments.rate, arguments.seed)
    trainer.run(_end(arguments.until), arguments.seconds, arguments.batch, arguments.decay_from)


def _end(until: str | None) -> float:
    """Unix time of HH:MM, tomorrow's if that has passed; far away when nothing is said."""
    if until is None:
        return time.time() + 1e9
    hours, minutes = map(int, until.split(":"))
    end = time.time() // 86400 * 86400 + hours * 3600 + minutes * 60
    return end + 86400 * (end <= time.time())


def _publish(arguments: argparse.Namespace) -> None:
    import torch

    from .publish import publish

    torch.set_num_threads(1)
    raise SystemExit(publish(arguments.task, arguments.data, arguments.trained, arguments.models))


if __name__ == "__main__":
    main()
