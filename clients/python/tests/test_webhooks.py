"""Webhooks of the server are told from forged ones."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.server
import queue
import threading
import time
import unittest

import support
from vocalhost import WebhookRefused, verify_webhook
from vocalhost.types import VoiceConversion

ARRIVED: queue.Queue[tuple[bytes, dict[str, str]]] = queue.Queue()


class Receiver(http.server.BaseHTTPRequestHandler):
    """Keeps what comes."""

    def do_POST(self) -> None:
        ARRIVED.put((self.rfile.read(int(self.headers["Content-Length"])), dict(self.headers.items())))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def sign(secret: str, id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The headers of a delivery, as the rule of Standard Webhooks has them."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(digest).decode()
    return {"Webhook-Id": id, "Webhook-Timestamp": str(timestamp), "Webhook-Signature": signature}


class Webhooks(unittest.TestCase):
    """The server must be allowed to send to 127.0.0.1."""

    def test_news_of_a_job_is_known_to_come_from_the_server(self) -> None:
        receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        with support.client() as client:
            webhook = client.webhooks.create(f"http://127.0.0.1:{receiver.server_port}/", events=["job.success"])
            self.addCleanup(lambda: support.client().webhooks.delete(webhook.id))
            client.webhooks.test(webhook.id)
            body, headers = ARRIVED.get(timeout=60)
            test = verify_webhook(body, headers, webhook.secret)
            self.assertEqual((test.type, test.job), ("webhook.test", None))
            voice = next(client.voices.list())
            job = client.conversions.create(support.SOUND, voice.id)
            while True:
                body, headers = ARRIVED.get(timeout=120)
                event = verify_webhook(body, headers, webhook.secret)
                if event.job is not None and event.job.id == job.id:
                    break
            self.assertEqual(event.type, "job.success")
            assert isinstance(event.job, VoiceConversion)
            self.assertIsNotNone(event.job.output_file_url)
            self.assertIn(event.id, [one.message_id for one in client.webhooks.deliveries(webhook.id)])
            with self.assertRaises(WebhookRefused):
                verify_webhook(body.replace(b"success", b"failure"), headers, webhook.secret)
            with self.assertRaises(WebhookRefused):
                verify_webhook(body, headers, "whsec_" + base64.b64encode(b"another secret").decode())

    def test_forged_old_and_bare_requests_are_refused(self) -> None:
        secret, now = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", int(time.time())
        body = b'{"type": "job.success", "timestamp": "", "data": {}}'
        good = sign(secret, "msg_1", now, body)
        self.assertEqual(verify_webhook(body, good, ["whsec_bmV3", secret]).id, "msg_1")
        twice = {**good, "Webhook-Signature": f"v1,bm8= {good['Webhook-Signature']}"}
        self.assertEqual(verify_webhook(body, twice, secret).id, "msg_1")
        forged: list[dict[str, str]] = [
            sign("whsec_bmV3", "msg_1", now, body),
            {**good, "Webhook-Id": "msg_2"},
            {**good, "Webhook-Signature": ""},
            {**good, "Webhook-Signature": "v1,\udcff"},
            {**good, "Webhook-Timestamp": "9" * 5000},
            {name: value for name, value in good.items() if name != "Webhook-Signature"},
            sign(secret, "msg_1", now - 400, body),
            sign(secret, "msg_1", now + 400, body),
        ]
        for headers in forged:
            with self.subTest(headers), self.assertRaises(WebhookRefused):
                verify_webhook(body, headers, secret)

    def test_the_example_of_the_standard_is_right(self) -> None:
        body, secret = b'{"test": 2432232314}', "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        headers = {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }
        with self.assertRaises(KeyError):
            # The signature is good; what it signs is no news of this server.
            verify_webhook(body, headers, secret, tolerance=1e12)


if __name__ == "__main__":
    unittest.main()
