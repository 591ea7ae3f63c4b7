"""Lines that break, and servers that are busy."""

from __future__ import annotations

import asyncio
import http.server
import json
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, ClassVar

import support
from broken_line import BrokenLine
from vocalhost import AsyncClient, JobFailed, Problem, Unreachable, UploadBroken


class Lines(unittest.TestCase):
    """What a broken line has interrupted goes on."""

    def line(self, allowed: int, cut: str = "up") -> BrokenLine:
        line = BrokenLine(support.URL, allowed, cut)
        self.addCleanup(line.close)
        return line

    def test_an_upload_that_was_broken_in_the_middle_goes_on_there(self) -> None:
        recording = support.long_recording(100)
        line = self.line(6_000_000)
        told: list[int] = []
        with support.client(line.url) as client:
            upload = client.upload(recording, on_progress=lambda done, of: told.append(done))
            self.assertEqual(line.breaks, 1)
            self.assertEqual((told[-1], told), (len(recording), sorted(told)))
            record = client.request("GET", f"/uploads/{upload.removeprefix('upload:')}")
            self.assertTrue(record["isComplete"])
            # What arrived before the line broke was not sent again: the pieces do not begin at their round places any more.
            self.assertTrue(any(done % (4 << 20) for done in told[:-1]), told)
            job = client.splits.create(upload, stems=["drums"])
            self.assertEqual(client.splits.cancel(job).id, job.id)

    def test_an_upload_that_gave_up_goes_on_later(self) -> None:
        recording = support.long_recording(100)
        line = self.line(6_000_000)
        with support.client(line.url, retries=0) as client, self.assertRaises(UploadBroken) as broken:
            client.upload(recording)
        with support.client() as client:
            self.assertEqual(client.upload(recording, to=broken.exception.upload), broken.exception.upload)
            with self.assertRaises(ValueError):
                client.upload(b"another file", to=broken.exception.upload)

    def test_uploads_that_do_not_block_go_on_too(self) -> None:
        line = self.line(6_000_000)

        async def send() -> None:
            async with AsyncClient(line.url) as client:
                upload = await client.upload(support.long_recording(100))
                record = await client.request("GET", f"/uploads/{upload.removeprefix('upload:')}")
                self.assertTrue(record["isComplete"])

        asyncio.run(send())
        self.assertEqual(line.breaks, 1)

    def test_a_download_that_was_broken_goes_on_and_is_the_same(self) -> None:
        line = self.line(200_000, "down")
        with support.client() as client, tempfile.TemporaryDirectory() as folder:
            voice = next(client.voices.list())
            job = client.conversions.wait(client.conversions.create(support.SOUND, voice.id))
            assert job.output_file_url is not None
            whole = client.download(job.output_file_url, Path(folder) / "whole.wav").read_bytes()
            self.assertGreater(len(whole), 250_000)
            told: list[int] = []
            link = job.output_file_url.replace(support.URL.removesuffix("/api/v1"), line.url)
            path = client.download(link, Path(folder) / "parts.wav", on_progress=lambda done, of: told.append(done))
            self.assertEqual((line.breaks, told), (1, sorted(told)))
            self.assertEqual(path.read_bytes(), whole)
            self.assertEqual([one.name for one in Path(folder).iterdir() if one.suffix == ".part"], [])

    def test_waiting_goes_on_where_the_events_broke_off(self) -> None:
        line = self.line(100, "down")
        with support.client(line.url) as client:
            with support.client() as direct:
                voice = next(direct.voices.list())
                job = direct.conversions.create(support.SOUND, voice.id)
            self.assertEqual(client.conversions.wait(job).status, "success")
        self.assertEqual(line.breaks, 1)


class Busy(http.server.BaseHTTPRequestHandler):
    """Refuses what `refusals` says, one request each, and then answers."""

    refusals: ClassVar[list[tuple[int, str]]] = []
    seen: ClassVar[list[tuple[float, Any]]] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.seen.append((time.monotonic(), self.headers["Idempotency-Key"]))
        status, pause = self.refusals.pop(0) if self.refusals else (200, "")
        body = b'{"id": 1}' if status == 200 else b"<h1>busy</h1>"
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if pause:
            self.send_header("Retry-After", pause)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        """A job that has failed by the second time that it is asked for, behind a proxy that knows nothing of events."""
        events = self.path.endswith("/events")
        self.seen.append((time.monotonic(), self.headers["Prefer"]))
        status = "error" if self.headers["Prefer"] else "running"
        failure = {"code": "timeout", "message": "It took too long.", "retryable": True}
        job = {"id": 7, "status": status, "progress": 50, "stage": "inference", "error": failure}
        body = b"<h1>events?</h1>" if events else json.dumps(job).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class BusyServers(unittest.TestCase):
    """What a server cannot do just now is asked again."""

    def setUp(self) -> None:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Busy)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"
        Busy.seen.clear()

    def test_a_refused_request_is_sent_again_after_the_pause_under_the_same_key(self) -> None:
        Busy.refusals[:] = [(429, "1"), (503, "1")]
        with support.client(self.url) as client:
            self.assertEqual(client.request("POST", "/anything"), {"id": 1})
        moments, keys = zip(*Busy.seen, strict=True)
        self.assertEqual(len(moments), 3)
        self.assertGreaterEqual(moments[2] - moments[0], 2)
        self.assertEqual((len(set(keys)), keys[0] is None), (1, False))

    def test_a_pause_that_is_too_long_is_left_to_the_caller(self) -> None:
        Busy.refusals[:] = [(429, "3600")]
        with support.client(self.url) as client, self.assertRaises(Problem) as refused:
            client.request("POST", "/anything")
        self.assertEqual((refused.exception.retry_after, refused.exception.code), (3600, "E_HTTP_429"))

    def test_a_job_that_fails_says_why_where_no_events_come_through(self) -> None:
        with support.client(self.url) as client, self.assertRaises(JobFailed) as failed:
            client.conversions.wait(7)
        failure = failed.exception.job.error
        assert failure is not None
        self.assertEqual((failure.code, failure.retryable, str(failed.exception)), ("timeout", True, failure.message))
        self.assertEqual([prefer for _, prefer in Busy.seen], [None, None, "wait=20"])

    def test_what_is_wrong_is_not_sent_again(self) -> None:
        Busy.refusals[:] = [(422, "")]
        with support.client(self.url) as client, self.assertRaises(Problem):
            client.request("POST", "/anything")
        self.assertEqual(len(Busy.seen), 1)

    def test_a_server_that_is_not_there_is_named_as_that(self) -> None:
        with support.client("http://127.0.0.1:9", retries=1) as client, self.assertRaises(Unreachable):
            client.me()
        with self.assertRaises(ValueError):
            support.client("nowhere")


if __name__ == "__main__":
    unittest.main()
