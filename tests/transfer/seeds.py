"""The encodings of the seeds, each by its own formula: how a service writes a sorted set, and what it shows of it.

A seed has `encode(value, seconds, member) -> (score, member in Redis)` and `show(score, member) -> (member, value)`, and the
options of `laurel import` that decode it.
"""

import math
import time

WINDOW = 3155760000
NOW = int(time.time()) - 60  # of the latest rows
END = NOW + 100_000  # of an event that goes on
START = END - 864_000


class Countdown:
    """Seed 000: value.f, f = end − now, padded to the digits of end − start."""

    options = ["--codec", "decimal-countdown", "--start", str(START), "--end", str(END)]
    first, last = START, NOW

    @staticmethod
    def encode(value, seconds, member):
        width = len(str(END - START))
        return float(f"{value}.{END - seconds:0{width}d}"), member

    @staticmethod
    def show(score, member):
        return member, math.floor(score)


class Scaled:
    """Seed 001: value · 10^10 + 9999999999 − now."""

    options = ["--codec", "scaled-time"]
    first, last = 1_500_000_000, NOW

    @staticmethod
    def encode(value, seconds, member):
        return float(value * 10_000_000_000 + 9_999_999_999 - seconds), member

    @staticmethod
    def show(score, member):
        return member, int(score) // 10_000_000_000


class Decimal:
    """Seed 002: value.f, f = 9999999999 − now."""

    options = ["--codec", "decimal-time"]
    first, last = 1_500_000_000, NOW

    @staticmethod
    def encode(value, seconds, member):
        return float(f"{value}.{9_999_999_999 - seconds}"), member

    @staticmethod
    def show(score, member):
        return member, int(score)


class Member:
    """Seed 003: the member is window − 1 − now, ten digits, a colon and the id."""

    options = ["--codec", "member-time"]
    first, last = 1_500_000_000, NOW

    @staticmethod
    def encode(value, seconds, member):
        return float(value), f"{WINDOW - 1 - seconds:010d}:{member}"

    @staticmethod
    def show(score, member):
        return member.split(":", 1)[1], round(score)


class Bits:
    """Seed 004, first way: value << 34 | (end − now in ms)."""

    options = ["--codec", "bit-fields", "--end", str(END), "--time-bits", "34"]
    first, last = END - 17_000_000, NOW

    @staticmethod
    def encode(value, seconds, member):
        return float(value << 34 | (END - seconds) * 1000), member

    @staticmethod
    def show(score, member):
        return member, int(score) >> 34


class Divisor:
    """Seed 004, second way: value + 10^6 / now in ms."""

    options = ["--codec", "divisor"]
    first, last = 1_500_000_000, NOW

    @staticmethod
    def encode(value, seconds, member):
        return value + 1_000_000.0 / (seconds * 1000), member

    @staticmethod
    def show(score, member):
        return member, math.floor(score)


SEEDS = [Countdown, Scaled, Decimal, Member, Bits, Divisor]


def fill(client, key, seed, rows):
    """Writes rows (member, value, seconds) as the service does. Later rows replace earlier ones."""
    held = {}
    for member, value, seconds in rows:
        score, stored = seed.encode(value, seconds, member)
        if member in held and held[member] != stored:
            client.ask("ZREM", key, held[member])
        held[member] = stored
        client.ask("ZADD", key, repr(score), stored)


def shown(client, key, seed):
    """What the service shows: [(member, value)…], best first."""
    reply = client.ask("ZREVRANGE", key, 0, -1, "WITHSCORES")
    return [seed.show(float(score), member) for member, score in zip(reply[::2], reply[1::2])]
