"""Problem files of growing size, for the benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

KEYS = {"pure": "epsilon", "zcdp": "rho", "gaussian": "mu"}
ABC = '{ kind = "multisets", records = ["a", "b", "c"] }'


def names(k: int) -> list[str]:
    return [f"e{i}" for i in range(1, k + 1)]


def listed(some: Sequence[str]) -> str:
    return ", ".join(some)


def quoted(some: Sequence[str]) -> str:
    return listed([f'"{one}"' for one in some])


def claims(notion: str, *some: tuple[str, str]) -> str:
    """Claims of a notion, each with the verdict that it comes to."""
    return "".join(
        f'[[claims]]\nnotion = "{notion}"\nexpect = "{verdict}"\n{KEYS[notion]} = "{value}"\n'
        for value, verdict in some
    )


def head(databases: str, target: str) -> str:
    return f"format = 1\n[target]\ngranularity = {target}\n[databases]\n{databases}\n"


def stated(name: str, reads: str, notion: str, value: str, granularity: str, domain: str) -> str:
    guarantee = f'notion = "{notion}", {KEYS[notion]} = "{value}", granularity = "{granularity}"'
    about = f'name = "{name}"\nreads = {{ {reads} }}\n'
    return f'[[mechanisms]]\n{about}guarantee = {{ {guarantee}, domain = "{domain}" }}\n'


def parts(k: int, notion: str = "pure", overlap: int = 1, target: str = '"bounded"') -> str:
    """k mechanisms of which each reads one of k records, or also those after it."""
    records, e = [f"a{i}" for i in range(1, k + 1)], names(k)
    text = head(f'kind = "multisets"\nrecords = [{quoted(records)}]', target)
    for i, one in enumerate(e):
        reads = sorted({records[(i + j) % k] for j in range(overlap)})
        text += stated(f"M{i + 1}", f"records = [{quoted(reads)}]", notion, one, "bounded", "common")
    squares = [f"{one}**2" for one in e]
    best = f"sqrt(top(2, {listed(squares)}))" if notion == "gaussian" else f"top(2, {listed(e)})"
    some = [(best, "proved")] if overlap == 1 and target == '"bounded"' else []
    some += [(f"sqrt({' + '.join(squares)})", "proved")] if notion == "gaussian" else []
    largest = (f"max({listed(e)})", "refuted")
    plain = target == '"bounded"'
    return text + claims(notion, *some, *([(" + ".join(e), "proved")] if plain else []), largest)


def databases(k: int) -> str:
    """A listed class of k databases in a row, each a neighbour of the next, and the half that one is in."""
    elements = [f"d{i}" for i in range(k)]
    pairs = [f'["{one}", "{other}"]' for one, other in pairwise(elements)]
    table = [f'{one} = "{2 * i // k}"' for i, one in enumerate(elements)]
    text = head(f'kind = "listed"\nelements = [{quoted(elements)}]', '"next"')
    text += (
        f"[granularities.next]\nneighbours = [{listed(pairs)}]\n[maps.half]\ntable = {{ {listed(table)} }}\n"
    )
    text += (
        '[[mechanisms]]\nname = "all"\nguarantee = { notion = "pure", epsilon = "e", granularity = "next" }\n'
    )
    text += stated("half", 'map = "half"', "pure", "x", "next", "common")
    return text + claims("pure", ("e + x", "proved"), ("max(e, x)", "refuted"))


def groups(m: int, k: int = 8) -> str:
    """Groups of m replacements on k parts."""
    return parts(k, target=f'{{ group = {m}, of = "bounded" }}')


def vertices(n: int) -> str:
    """n mechanisms of which each reads the edges at one of n vertices."""
    text = head(f'kind = "graphs"\nvertices = {n}', '"node"')
    for i, one in enumerate(names(n), start=1):
        text += stated(f"M{i}", f"vertex = {i}", "pure", one, "node", "own")
    return text + claims("pure", (" + ".join(names(n)), "proved"), (f"max({listed(names(n))})", "refuted"))


def nested(depth: int) -> str:
    """Studies in one another, each with a mechanism of its own."""
    text, path = head('kind = "multisets"\nrecords = ["a", "b", "c"]', '"bounded"'), ""
    for i, one in enumerate(names(depth), start=1):
        path += f"{'.' if path else ''}studies.s{i}"
        own = stated(f"own{i}", 'records = ["a"]', "pure", one, "bounded", "common")
        text += f'[{path}]\ndatabases = {ABC}\ntarget = {{ granularity = "bounded" }}\n'
        text += own.replace("[[mechanisms]]", f"[[{path}.mechanisms]]")
        if i < depth:
            text += f'[[{path}.mechanisms]]\nname = "in{i}"\nstudy = "s{i + 1}"\n'
    text += '[[mechanisms]]\nname = "M"\nstudy = "s1"\n'
    e = names(depth)
    return text + claims("pure", (" + ".join(e), "proved"), (f"max({listed(e)})", "refuted"))


NEAR = {5: ("0.1407", "0.1406"), 10: ("0.4737", "0.4736"), 20: ("0.8145", "0.8144"), 30: ("0.9347", "0.9345")}
"""A δ just above that of so many Laplace mechanisms at ε = 3, and one just below it."""


def laplace(k: int, deltas: tuple[str, str]) -> str:
    """k counts with Laplace noise, and a δ that holds, and one that does not."""
    text = head('kind = "multisets"', '"unbounded"')
    for i in range(k):
        text += f'[[mechanisms]]\nname = "c{i}"\nquery = "count"\nnoise = {{ laplace = "1" }}\n'
    for delta, verdict in zip(deltas, ("proved", "refuted"), strict=True):
        text += '[[claims]]\nnotion = "approximate"\nepsilon = "3"\n'
        text += f'delta = "{delta}"\nexpect = "{verdict}"\n'
    return text
