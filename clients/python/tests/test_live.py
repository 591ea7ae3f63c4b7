"""Live conversions as records. The example `live.py` speaks through one."""

from __future__ import annotations

import unittest

import support
from vocalhost import Problem


class Live(unittest.TestCase):
    def setUp(self) -> None:
        self.client = support.client()
        self.addCleanup(self.client.close)
        self.voice = next(iter(self.client.voices.list())).id

    def test_one_is_made_seen_and_forgotten(self) -> None:
        made = self.client.live.create(self.voice, pitch_shift=3, post=["reverb"], sample_rate=16_000, record="both")
        self.assertEqual((made.status, made.pitch_shift, made.sample_rate, made.record), ("waiting", 3, 16_000, "both"))
        self.assertTrue(made.ticket and made.stream_url and made.stream_url.startswith("ws"))
        self.assertEqual([one.id for one in made.post], ["vocalhost.reverb"])
        self.assertEqual(made.latency_ms.block + made.latency_ms.look_ahead, made.latency_ms.total)
        seen = self.client.live.get(made.id)
        self.assertEqual((seen.id, seen.ticket), (made.id, None))
        self.assertIn(made.id, [one.id for one in self.client.live.list()])
        with self.assertRaises(Problem) as caught:
            self.client.live.render(made, auto_pitch=True)
        self.assertIn(caught.exception.status, (409, 422))
        self.client.live.delete(made)
        with self.assertRaises(Problem) as caught:
            self.client.live.get(made.id)
        self.assertEqual(caught.exception.status, 404)

    def test_what_is_wrong_is_told_by_field(self) -> None:
        with self.assertRaises(Problem) as caught:
            self.client.live.create(self.voice, conversion_strength=2, sample_rate=8_000)
        self.assertEqual({mistake.field for mistake in caught.exception.errors}, {"conversionStrength", "sampleRate"})
