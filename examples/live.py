"""Speaks in another voice while you speak: raw sound (48 kHz, mono, 16 bits) comes in, and goes out in the other voice.

RAW='-t raw -r 48000 -e signed -b 16 -c 1'
sox -q -d $RAW - | python live.py VOICE | sox -q $RAW - -d        (wear headphones; sound has to come as fast as it sounds)
"""

import asyncio
import json
import struct
import sys
import time

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from vocalhost import AsyncClient, VocalhostError

RATE = 48_000
PIECE = 2 * RATE // 50  # bytes of 20 ms
HEAD = 16  # bytes before the sound: number, clock, place


async def speak(stream: ClientConnection, is_ready: asyncio.Event) -> None:
    """Sends what comes in once it is heard, each piece with its number and the clock; then asks for what is still inside."""
    number = 0
    while piece := await asyncio.to_thread(sys.stdin.buffer.read, PIECE):
        if not is_ready.is_set():
            continue
        clock = int(time.monotonic() * 1000) % 2**32
        await stream.send(struct.pack("<II", number, clock) + piece.ljust(PIECE, b"\0"))
        number += 1
    await stream.send(json.dumps({"type": "stop"}))


def hear(sound: bytes) -> None:
    sys.stdout.buffer.write(sound)
    sys.stdout.buffer.flush()


async def live(voice: int) -> None:
    async with AsyncClient() as client:
        record = await client.live.create(voice, sample_rate=RATE)
    protocols = [Subprotocol("vocalhost.live.v1"), Subprotocol(f"ticket.{record.ticket}")]
    # A server that loads a voice on a busy machine may be late with everything else.
    async with connect(record.stream_url or "", subprotocols=protocols, compression=None, open_timeout=120, ping_timeout=None) as stream:
        is_ready = asyncio.Event()
        speaking = asyncio.create_task(speak(stream, is_ready))
        async for message in stream:
            if isinstance(message, bytes):
                await asyncio.to_thread(hear, message[HEAD:])
                continue
            said = json.loads(message)
            if said["type"] == "ready":
                print(f"heard {said['latencyMs']['total']} ms later", file=sys.stderr)
                is_ready.set()
            elif said["type"] == "ended":
                await speaking
                print(f"{said['record']['seconds']:.1f} s, {said['record']['droppedMs']} ms dropped", file=sys.stderr)


try:
    asyncio.run(live(int(sys.argv[1])))
except KeyboardInterrupt:
    pass
except VocalhostError as error:
    sys.exit(str(error))
