"""Deployment cards: what is released, to whom, with which ε and δ for which unit, and for others.

A card is a problem file with [units] in place of [target] and [[releases]] in place of [[mechanisms]].  A
unit is a granularity by a name of its own, "a visit" or "a person"; a release says `what` it is, `to` whom it
goes, and for which `unit` its epsilon (delta, rho, mu) holds; a claim says the same of all that somebody
gets.  Where releases are adaptive, what is known of one holds for every value of those before it: it may show
these, so whoever gets it counts as getting them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from dpcompose.front import files
from dpcompose.front.studies import loading
from dpcompose.front.studies.results import Answer, Result
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.privacy import problems
from dpcompose.privacy.guarantees.notions import FILE_KEYS
from dpcompose.proof.theory import registry

EVERYONE = "everyone"
TOGETHER = "all together"
"""What all who get something would know if they put it together."""

PARAMETERS = sorted({key for keys in FILE_KEYS.values() for key in keys} | {"omega", "orders"})
SAID = ("units", "releases", "claims", "found")
"""The tables of a card that a problem file has not, or has otherwise."""


class WrongCard(ValueError):
    """A card leaves something out, or says it wrongly; the message says where."""


@frozen(repr=False)
class Finding:
    """What somebody gets, for a unit: the guarantee of all of it, with verdicts on the claims; or why there
    is none."""

    unit: str
    to: str
    guarantee: Result | None
    verdicts: tuple[tuple[str, Answer], ...] = ()
    reason: str = ""

    def data(self) -> dict[str, Any]:
        """The finding as a card keeps it."""
        data: dict[str, Any] = {"unit": self.unit, "to": self.to}
        if self.guarantee is None:
            return data | {"reason": self.reason}
        data |= {"guarantee": repr(self.guarantee)}
        verdicts = [f"{claim}: {answer.verdict}" for claim, answer in self.verdicts]
        return data | ({"claims": verdicts} if verdicts else {})

    def __repr__(self) -> str:
        lines = [f"{self.unit}, {self.to}: {self.guarantee if self.guarantee is not None else self.reason}"]
        lines += [f"  claimed {claim}: {answer!r}" for claim, answer in self.verdicts]
        return "\n".join(lines)


@frozen(repr=False)
class Card:
    """A deployment card: its data, and what is found of it for each unit and for each of those who get
    something.

    >>> import dpcompose as dpc
    >>> print(dpc.card('''
    ... format = 1
    ... [databases]
    ... kind = "multisets"
    ... records = ["ann", "bob", "eve"]
    ... [units]
    ... "a visit" = "unbounded"
    ... "who it was" = "bounded"
    ... [[releases]]
    ... what = "visits of ann"
    ... to = "the ward"
    ... unit = "a visit"
    ... epsilon = 1
    ... reads = { records = ["ann"] }
    ... domain = "own"
    ... [[releases]]
    ... what = "visits of bob"
    ... unit = "a visit"
    ... epsilon = 2
    ... reads = { records = ["bob"] }
    ... domain = "own"
    ... [[claims]]
    ... unit = "who it was"
    ... epsilon = 2
    ... '''))
    a visit, the ward: unbounded 2-DP, by GB:IV.6; optimal
    a visit, everyone: unbounded 2-DP, by GB:IV.6; optimal
    who it was, the ward: bounded 3-DP, by GB:IV.1; optimal
      claimed epsilon = 2: refuted: D = {ann}, D' = {bob}, claimed 2, true loss 3
    who it was, everyone: bounded 2-DP, by GB:IV.1; optimal
    """

    text: Mapping[str, Any]

    def __post_init__(self) -> None:
        for key in ("units", "releases"):
            if not self.text.get(key):
                raise WrongCard(f"a card has [{key}]")
        for n, one in enumerate([*self.text["releases"], *self.text.get("claims", ())], start=1):
            if "unit" in one and one["unit"] not in self.units:
                raise WrongCard(f"{one['unit']!r} is no unit; there are {', '.join(self.units)}")
            if "what" not in one and n <= len(self.text["releases"]):
                raise WrongCard(f"release {n} does not say what it is")
        for one in self.text.get("claims", ()):
            if (to := one.get("to", TOGETHER)) not in (*self.recipients, TOGETHER):
                raise WrongCard(f"nobody is {to!r}; there are {', '.join(self.recipients)}")
        if both := {"target", "mechanisms"} & self.text.keys():
            raise WrongCard(f"a card has [units] and [[releases]] in place of {' and '.join(sorted(both))}")

    @property
    def units(self) -> Mapping[str, Any]:
        """The granularities, by the names that the card has for them."""
        units: Mapping[str, Any] = self.text["units"]
        return units

    @cached_property
    def recipients(self) -> tuple[str, ...]:
        """Those who get something, and all together where nobody gets everything."""
        named = [name for release in self.text["releases"] for name in _to(release)]
        names = tuple(dict.fromkeys([*(name for name in named if name != EVERYONE), *named]))
        whole = any(len(self._got(name)) == len(self.text["releases"]) for name in names)
        return names if whole else (*names, TOGETHER)

    def _got(self, to: str) -> list[dict[str, Any]]:
        """What somebody gets, and where releases are adaptive all before it, as these may have been read."""
        releases = list(self.text["releases"])
        got = [n for n, release in enumerate(releases) if to == TOGETHER or {EVERYONE, to} & {*_to(release)}]
        return releases[: max(got) + 1] if self.text.get("adaptive") else [releases[n] for n in got]

    def problem(self, unit: str, to: str = TOGETHER) -> dict[str, Any]:
        """What somebody gets as the data of a problem file about a unit, with the claims on that."""
        data = {key: value for key, value in self.text.items() if key not in SAID}
        data["target"] = {"granularity": self.units[unit]}
        data["mechanisms"] = [self._mechanism(one) for one in self._got(to)]
        whole = len(data["mechanisms"]) == len(self.text["releases"])
        about = {to, TOGETHER} if whole else {to}
        data["claims"] = [
            _guarantee(one)
            for one in self.text.get("claims", ())
            if one.get("unit", unit) == unit and one.get("to", TOGETHER) in about
        ]
        return data

    def _mechanism(self, release: Mapping[str, Any]) -> dict[str, Any]:
        """A release as a mechanism of a problem file."""
        shorter = {"what", "to", "unit", "notion", "domain", *PARAMETERS}
        made = {"name": release["what"]} | {
            key: value for key, value in release.items() if key not in shorter
        }
        if set(PARAMETERS) & release.keys():
            if "unit" not in release:
                raise WrongCard(f"{release['what']!r} does not say for which unit its guarantee holds")
            stated = _guarantee(release) | {"granularity": self.units[release["unit"]]}
            made["guarantee"] = stated | ({"domain": release["domain"]} if "domain" in release else {})
        return made

    def study(self, unit: str, to: str = TOGETHER) -> tuple[Study, tuple[Any, ...]]:
        """The study of what somebody gets, for a unit, and the claims on it.  Raises ProblemError."""
        return loading.load_text(json.dumps(self.problem(unit, to)), f"{unit}, {to}", registry.standard())

    @cached_property
    def found(self) -> tuple[Finding, ...]:
        """What is found, unit by unit, for each of those who get something."""
        return tuple(self._finding(unit, to) for unit in self.units for to in self.recipients)

    def _finding(self, unit: str, to: str) -> Finding:
        try:
            study, claims = self.study(unit, to)
            verdicts = tuple((claim.written, study.check(claim)) for claim in claims)
            return Finding(unit, to, study.guarantee(), verdicts)
        except ValueError as error:
            return Finding(unit, to, None, reason=str(error))

    def data(self) -> dict[str, Any]:
        """The card with what is found: as it was read, and a table `found`."""
        return {**self.text, "found": [finding.data() for finding in self.found]}

    def to_toml(self) -> str:
        """The same as a text, which `dpcompose.card` reads."""
        return files.toml(self.data())

    def __str__(self) -> str:
        return "\n".join(map(repr, self.found))

    def __repr__(self) -> str:
        return f"card of {len(self.text['releases'])} releases, for {', '.join(self.units)}"


def _to(release: Mapping[str, Any]) -> Sequence[str]:
    """Those whom a release goes to."""
    to = release.get("to", EVERYONE)
    return [to] if isinstance(to, str) else list(to)


def _guarantee(said: Mapping[str, Any]) -> dict[str, Any]:
    """The notion and parameters of a release or a claim; left out, the notion is seen by the parameters."""
    values = {key: said[key] for key in PARAMETERS if key in said}
    if "notion" in said:
        return {"notion": said["notion"], **values}
    fits = [notion for notion, keys in FILE_KEYS.items() if set(keys) == set(values)]
    if not fits:
        raise WrongCard(
            f"{said.get('what', 'a claim')!r} has no epsilon, delta, rho or mu that say a guarantee"
        )
    return {"notion": fits[0], **values} | ({"expect": said["expect"]} if "expect" in said else {})


def card(source: str | Path | Mapping[str, Any]) -> Card:
    """A deployment card: what is released, to whom, and which guarantee that is for each unit.

    source -- a file, its text in TOML or JSON, or data.  Raises WrongCard, ProblemError, OSError.

    >>> import dpcompose as dpc
    >>> study = dpc.compose(dpc.mechanism("M", dpc.pure(1)), on=dpc.multisets(), target="unbounded")
    >>> print(card(dpc.card_of(study).text))
    unbounded, everyone: unbounded 1-DP, by GB:IV.3; optimal
    """
    if isinstance(source, Mapping):
        return Card(source)
    is_text = isinstance(source, str) and "\n" in source
    text = str(source) if is_text else problems.text_of(source)
    return Card(problems.parsed(text, "the card" if is_text else str(source)))


def card_of(
    study: Study, units: Mapping[str, Any] | None = None, to: Mapping[str, str | Sequence[str]] | None = None
) -> Card:
    """A study as a deployment card: each mechanism is a release, and its neighbours are a unit.

    study -- a composition for neighbours: it raises NotForNeighbours, a ValueError, of others;
    units -- more units than those of the guarantees and the target, by name: granularities as a problem file
    has them; to -- by the name of a mechanism to whom its output goes; else to everyone.

    >>> import dpcompose as dpc
    >>> study = dpc.compose(dpc.mechanism("M", dpc.pure(1)), on=dpc.multisets(), target="unbounded")
    >>> print(dpc.card_of(study, {"two records": {"group": 2, "of": "unbounded"}}))
    unbounded, everyone: unbounded 1-DP, by GB:IV.3; optimal
    two records, everyone: group of 2 unbounded 2-DP, by GB:A.3; optimal
    """
    data = study.judge.for_neighbours("a card").file([])
    target = data.pop("target")["granularity"]
    named, releases = {_unit(target): target}, []
    for mechanism in data.pop("mechanisms"):
        name = mechanism.pop("name")
        release = {"what": name, "to": (to or {}).get(name, EVERYONE), **mechanism}
        if "granularity" in release.get("guarantee", ()):
            stated = release.pop("guarantee")
            granularity = stated.pop("granularity")
            named[_unit(granularity)] = granularity
            release |= {"unit": _unit(granularity), **stated}
        releases.append(release)
    data.pop("claims", None)
    if taken := [name for name, unit in (units or {}).items() if named.get(name, unit) != unit]:
        raise WrongCard(f"{taken[0]!r} is a unit already, and another one")
    return Card({**data, "units": named | dict(units or {}), "releases": releases})


def _unit(granularity: Any) -> str:
    """A granularity of a problem file as the name of a unit."""
    return granularity if isinstance(granularity, str) else json.dumps(granularity)
