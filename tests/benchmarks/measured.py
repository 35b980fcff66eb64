"""Processor time and memory of calls, measured in this process and in children of it."""

from __future__ import annotations

import ctypes
import gc
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any


def timed(f: Callable[[], Any]) -> tuple[float, Any]:
    """The processor time of a call, and its result."""
    gc.collect()
    started = time.process_time()
    result = f()
    return time.process_time() - started, result


def in_turn(rounds: int, *calls: Callable[[], Any]) -> tuple[list[float], list[Any]]:
    """Median times of some calls, A, B, A, B, …, and their last results."""
    times: list[list[float]] = [[] for _ in calls]
    results: list[Any] = [None] * len(calls)
    for _ in range(rounds):
        for n, call in enumerate(calls):
            results[n] = None
            spent, results[n] = timed(call)
            times[n].append(spent)
    return [median(some) for some in times], results


def peak(f: Callable[[], Any]) -> int:
    """By how many bytes a call makes the memory of a child process grow, at most; its result included."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # else what was freed before counts as there already
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        Path("/proc/self/clear_refs").write_text("5")
        before = status("VmRSS")
        result = f()
        os.write(write, str(status("VmHWM") - before).encode())
        del result
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    found = int(os.read(read, 100))
    os.close(read)
    return found


def status(name: str) -> int:
    """A size of this process in bytes, as Linux counts it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return 1024 * int(line.split()[1])
    raise OSError(f"/proc/self/status says nothing of {name}")


def told_apart_in_grey() -> Any:
    """Colours, markers and dashes of curves, in turn."""
    from cycler import cycler
    from matplotlib import colormaps

    colours = cycler(color=colormaps["tab10"].colors[:8])
    return colours + cycler(marker=list("os^Dvx+p")) + cycler(linestyle=["-", "--", ":", "-."] * 2)
