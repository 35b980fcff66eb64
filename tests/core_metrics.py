"""Core settings of mechanisms that are stated in formulas of distances, for tests of the kernel."""

from __future__ import annotations

from typing import Any

from dpcompose.kernel.core import reading
from dpcompose.kernel.expressions import metrics, terms
from dpcompose.kernel.library.theory import Theory
from dpcompose.proof.theory import registry
from dpcompose.search import guarantees
from dpcompose.search.verdicts import Verdicts

THEORY = Theory(registry.standard().pages)
UNBOUNDED = {"single": [[0, 1], [1, 0]], "steps": 1}
BOUNDED = {"single": [[1, 1]], "steps": 1}
ANY = {"single": "any two", "steps": 1}
SYMBOLS = {name: metrics.letter(name) for name in ("d__u", "d__b", "d__a")} | {
    name: terms.letter(name) for name in ("e", "f", "w")
}


def distance(stated: Any, reads: list[int] | None = None, domain: str = "own", **more: Any) -> dict[str, Any]:
    about = {"reads": [reads], "domain": domain, "notion": "pure", "values": {"epsilon": "1"}}
    return {"name": "far", **about, "stated": stated, **more}


def mechanism(name: str, formula: str, notion: str = "pure", **more: Any) -> dict[str, Any]:
    key = {"pure": "epsilon", "zcdp": "rho", "gaussian": "mu", "approximate": "epsilon"}[notion]
    values = {key: "1"} | ({"delta": "0"} if notion == "approximate" else {})
    distances = {
        name: far
        for name, far in {
            "d__u": distance(UNBOUNDED),
            "d__b": distance(BOUNDED),
            "d__a": distance(ANY, [0]),
        }.items()
        if name in formula or name in str(more)
    }
    metric = {"formula": formula, "besides": {}, "distances": distances, "bounded": False} | more
    return {
        "name": name,
        "reads": [None],
        "domain": "own",
        "notion": notion,
        "values": values,
        "metric": metric,
    }


def core(*mechanisms: Any, target: Any = BOUNDED, size: Any = ("any", None)) -> Any:
    atoms = [["a", "a'"], ["b", "b'"]]
    databases = {
        "kind": "records",
        "shown": "multisets",
        "of": "multisets",
        "size": list(size),
        "atoms": atoms,
    }
    parameters = dict.fromkeys(("e", "f", "w"), "positive")
    data = {"parameters": parameters, "databases": databases, "target": target, "adaptive": False}
    return reading.read(data | {"mechanisms": list(mechanisms)})


def on_product(parts: Any, distances: Any, formula: str, shown: str = "points") -> dict[str, Any]:
    """The data of a setting: one mechanism with a formula in the distances of a product, for any two databases."""
    one = {"name": "M", "reads": [None], "domain": "own", "notion": "pure", "values": {"epsilon": "1"}}
    return {
        "parameters": {"s": "positive"},
        "databases": {"kind": "product", "shown": shown, "parts": parts},
        "target": ANY,
        "distances": distances,
        "mechanisms": [one | {"metric": {"formula": formula, "besides": {}}}],
        "adaptive": False,
    }


def verdict(setting: Any, **claim: str) -> str:
    shop = guarantees.in_notion(guarantees.workshop(setting, THEORY), claim["notion"])
    return Verdicts(shop).on(claim).word
