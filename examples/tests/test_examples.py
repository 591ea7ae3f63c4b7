"""The examples, against a running server: see `clients/python/tests/support.py` for what names it; `VOCALHOST_NODE` is Node."""

from __future__ import annotations

import math
import os
import queue
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
import wave
from pathlib import Path
from typing import IO

from vocalhost import Client, Problem

EXAMPLES = Path(__file__).parent.parent
SOUND = Path(os.environ["VOCALHOST_SOUND"])
RUNS = {"py": sys.executable, "mjs": os.environ["VOCALHOST_NODE"]}


def run(name: str, *arguments: object) -> str:
    """What an example prints."""
    command = [RUNS[name.rpartition(".")[2]], str(EXAMPLES / name), *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        raise AssertionError(f"{name} ended with {ran.returncode}\n{ran.stdout}\n{ran.stderr}")
    return ran.stdout


class Examples(unittest.TestCase):
    """Each does what its first lines say."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        with Client() as client:
            self.voice = next(client.voices.list()).id

    def test_a_cover_is_a_whole_song(self) -> None:
        for name in ("cover.py", "cover.mjs"):
            with self.subTest(name):
                cover = self.folder / f"{name}.wav"
                self.assertIn("semitones", run(name, SOUND, self.voice, cover))
                self.assertEqual(cover.read_bytes()[:4], b"RIFF")

    def test_a_batch_does_what_is_missing_and_says_what_failed(self) -> None:
        takes, results = self.folder / "takes", self.folder / "results"
        takes.mkdir()
        for name in ("one.flac", "two.flac", "notes.txt"):
            shutil.copy(SOUND, takes / name)
        self.assertIn("2 converted, 0 failed", run("batch.py", takes, self.voice, results))
        self.assertEqual(sorted(path.name for path in results.iterdir()), ["one.flac.flac", "two.flac.flac"])
        (takes / "three.wav").write_bytes(b"no sound at all")
        with self.assertRaisesRegex(AssertionError, r"ended with 1\n0 converted, 1 failed\n\n.*three.wav: the file is text"):
            run("batch.py", takes, self.voice, results)

    def test_a_song_comes_back_from_the_workstation(self) -> None:
        project, mixed = self.folder / "project", self.folder / "mix.wav"
        run("daw_round_trip.py", "out", SOUND, project)
        self.assertEqual(sorted(path.stem for path in project.iterdir()), ["bass", "drums", "other", "vocals"])
        run("daw_round_trip.py", "mix", project, mixed)
        with wave.open(str(mixed)) as before, wave.open(str(project / "vocals.wav")) as stem:
            length = before.getnframes()
            self.assertEqual(length, stem.getnframes())
            first = before.readframes(length)
        run("daw_round_trip.py", "convert", project / "vocals.wav", self.voice)
        self.assertTrue((project / "vocals.original").exists())
        run("daw_round_trip.py", "mix", project, mixed)
        with wave.open(str(mixed)) as after:
            self.assertEqual((after.getnframes(), after.getsampwidth()), (length, 3))
            self.assertNotEqual(after.readframes(length), first)

    def test_a_voice_is_another_while_it_speaks(self) -> None:
        with Client() as client:
            try:
                client.request("GET", "/live-conversions")
            except Problem as problem:
                self.assertEqual(problem.status, 404)
                self.skipTest("this server is older than live conversions")
        seconds, rate, piece = 3, 48_000, 960
        command = [RUNS["py"], str(EXAMPLES / "live.py"), str(self.voice)]
        out = self.folder / "live.raw"
        with out.open("wb") as heard, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=heard, stderr=subprocess.PIPE) as live:
            assert live.stdin is not None and live.stderr is not None
            # It is heard when it is ready; what was said before is still in the pipe.
            self.assertRegex(live.stderr.readline().decode(), r"^heard \d+ ms later")
            began = time.monotonic()
            for at in range(0, seconds * rate, piece):
                tone = (round(8_000 * math.sin(2 * math.pi * 220 * n / rate)) for n in range(at, at + piece))
                live.stdin.write(struct.pack(f"<{piece}h", *tone))
                live.stdin.flush()
                time.sleep(max(0, began + (at + piece) / rate - time.monotonic()))
            live.stdin.close()
            said = live.stderr.read().decode()
            self.assertEqual(live.wait(120), 0, said)
        dropped = re.search(r"([\d.]+) ms dropped", said)
        assert dropped is not None, said
        # A busy machine may leave some of it out: it says how much.
        samples = out.stat().st_size / 2 + float(dropped[1]) * rate / 1000
        self.assertAlmostEqual(samples, seconds * rate, delta=rate)

    def test_receivers_believe_the_server_alone(self) -> None:
        for name in ("webhook_receiver.py", "webhook_receiver.mjs"):
            with self.subTest(name):
                self.hears(name)

    def hears(self, name: str) -> None:
        """The port is chosen by the receiver, and the secret must be known before it starts: so the address is put in later."""
        with Client() as client:
            webhook = client.webhooks.create("http://127.0.0.1:9/")
            self.addCleanup(lambda: Client().webhooks.delete(webhook.id))
            command = [RUNS[name.rpartition(".")[2]], str(EXAMPLES / name), "0"]
            environment = {**os.environ, "VOCALHOST_WEBHOOK_SECRET": webhook.secret}
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as receiver:
                try:
                    assert receiver.stdout is not None
                    said = lines_of(receiver.stdout)
                    url = f"http://127.0.0.1:{said.get(timeout=120).split()[-1]}/"
                    forged = urllib.request.Request(url, b"{}", {"webhook-id": "1"})
                    with self.assertRaisesRegex(urllib.error.HTTPError, "400"):
                        urllib.request.urlopen(forged)
                    self.assertTrue(said.get(timeout=120).startswith("refused: "))
                    client.webhooks.change(webhook.id, url=url)
                    client.webhooks.test(webhook.id)
                    self.assertTrue(said.get(timeout=120).startswith("webhook.test"))
                finally:
                    receiver.terminate()


def lines_of(stream: IO[str]) -> queue.Queue[str]:
    """The lines that a program says, as they come."""
    lines: queue.Queue[str] = queue.Queue()

    def read() -> None:
        for line in stream:
            lines.put(line)

    threading.Thread(target=read, daemon=True).start()
    return lines


if __name__ == "__main__":
    unittest.main()
