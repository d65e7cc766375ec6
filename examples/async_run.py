#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prepares the next input while the engine works on this one: run_async() returns a future, which a
coroutine can await.

    python examples/async_run.py
"""

import asyncio
from pathlib import Path

import numpy as np

import npugraph

ROOT = Path(__file__).resolve().parents[1]
MODEL = ROOT / "examples/models/ultraface_rfb320.onnx"
FRAMES = 8


def prepare(number: int) -> dict[str, np.ndarray]:
    """A frame; each has its own array, for the engine reads it in place while it runs."""
    rng = np.random.default_rng(number)
    return {"input": rng.random((1, 3, 240, 320), dtype=np.float32)}


def with_futures(session: npugraph.Session) -> list[np.ndarray]:
    """Futures are done in the order of the calls."""
    futures = [session.run_async(prepare(number)) for number in range(FRAMES)]
    return [future.result()["scores"] for future in futures]


async def with_coroutines(session: npugraph.Session) -> list[np.ndarray]:
    """The event loop stays free: the engine runs in the session's own thread, without the GIL."""
    waiting = [asyncio.wrap_future(session.run_async(prepare(number))) for number in range(FRAMES)]
    return [outputs["scores"] for outputs in await asyncio.gather(*waiting)]


def main() -> None:
    with npugraph.Session(npugraph.compile(MODEL), threads=2) as session:
        expected = [session.run(prepare(number))["scores"] for number in range(FRAMES)]
        futures = with_futures(session)
        coroutines = asyncio.run(with_coroutines(session))
    same = all(
        np.array_equal(want, a) and np.array_equal(want, b)
        for want, a, b in zip(expected, futures, coroutines, strict=True)
    )
    print(f"{FRAMES} frames by futures and by coroutines:", "as run()" if same else "NOT AS run()")
    if not same:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
