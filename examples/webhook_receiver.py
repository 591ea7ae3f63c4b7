"""Hears of jobs that have ended. The server must be told where this listens, and shows the secret then:

    curl -H "$AUTH" --json '{"url": "http://this-machine:9000/"}' $API/webhooks
    VOCALHOST_WEBHOOK_SECRET=whsec_... python webhook_receiver.py 9000

An address within your own network must be allowed in the server's `webhook_allow_private`.
"""

import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from vocalhost import WebhookRefused, verify_webhook

SECRET = os.environ["VOCALHOST_WEBHOOK_SECRET"]
LONGEST_BODY = 1 << 20
# What was told before; a real receiver keeps it where it outlives the process.
seen: set[str] = set()


class Receiver(BaseHTTPRequestHandler):
    """Answers 204 to the server, and 400 to everybody else."""

    timeout = 10

    def do_POST(self) -> None:
        """One piece of news."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LONGEST_BODY:
            return self.answer(400)
        # The signature is about these very bytes, not about what JSON makes of them.
        body = self.rfile.read(int(length))
        try:
            event = verify_webhook(body, dict(self.headers.items()), SECRET)
        except WebhookRefused as refused:
            print(f"refused: {refused}", flush=True)
            return self.answer(400)
        # Answered first: a server that waits too long sends it again. Everything comes at least once, and may come twice.
        self.answer(204)
        if event.id not in seen:
            seen.add(event.id)
            print(event.type, event.data.get("kind"), event.data.get("id"), flush=True)

    def answer(self, status: int) -> None:
        """An answer without a body."""
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """The news itself is enough."""


server = ThreadingHTTPServer(("", int(sys.argv[1])), Receiver)
print(f"listening on port {server.server_port}", flush=True)
server.serve_forever()
