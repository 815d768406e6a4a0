"""Helpers for the scripts of Python clients: the place of their work, and steps by their names."""

import hashlib
import json
import os
import sys
import traceback

PLACE = json.loads(os.environ["PLACE"])
LARGE_BYTES = 17 * 1024 * 1024 + 1
STEPS = {}


def step(name):
    def register(function):
        STEPS[name] = function
        return function

    return register


def content_of(size, seed=1):
    block = hashlib.sha256(str(seed).encode()).digest()
    blocks = [hashlib.sha256(block + n.to_bytes(8, "big")).digest() for n in range(size // 32 + 1)]
    return b"".join(blocks)[:size]


def path_of(name):
    return os.path.join(PLACE["directory"], name)


def main():
    """Runs the steps that the arguments name. Prints the result of each: null, or the error."""
    outcomes = {}
    for name in sys.argv[1:]:
        try:
            STEPS[name]()
            outcomes[name] = None
        except Exception:
            outcomes[name] = traceback.format_exc()
    print(json.dumps(outcomes))
