"""Any two databases at which a claim in metrics fails, told by their parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.front.documents.at import At, Member
from dpcompose.kernel import computed
from dpcompose.kernel.composition.losses import Loss
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.curves.curves import Piece
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.expressions import formulas, naming, terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, Term
from dpcompose.kernel.judgements import Refuted
from dpcompose.kernel.rules import metrics as rules
from dpcompose.language.said import Words, listed, member
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.guarantees.notions import POWERS
from dpcompose.proof.counterexamples import rows
from dpcompose.proof.counterexamples.rows import Row
from dpcompose.proof.theory.registry import Theory
from dpcompose.spaces.canonical.points import ByParts


@frozen
class AtAnyTwo(At):
    """Any two databases, by their parts: coordinates, records, or as their class shows them."""

    neighbours = False
    databases = ByParts

    @classmethod
    def of(
        cls, told: Elaborated, theory: Theory, type: Type, said: Refuted, stated: Sequence[Loss], page: Any
    ) -> At:
        """Those of a type at the point of a theorem that refutes a claim."""
        point, kernel = dict(said.point), theory.in_kernel
        D, E = (told.parts.database(told.core, kernel, type, point, who) for who in "DE")
        return cls(told, theory, type, (D, E), point, stated, page)

    @property
    def parameters(self) -> dict[str, Fraction]:
        names = {name for name, _ in self.core.parameters}
        families = {said.base for said in map(naming.read, names) if said.is_general}
        own = (name for name in self.point if name in names or naming.read(name).base in families)
        return {name: self.point[name] for name in sorted(own, key=_in_order)}

    def claimed(self, values: Mapping[str, Term]) -> dict[str, Term]:
        where = rules.where_of(self.type)
        return super().claimed(
            {key: rules.at_most_there(value, where, self.core) for key, value in values.items()}
        )

    def shown(self, value: Term) -> Term:
        """In the metric, of which a parameter may be a power."""
        _, power = POWERS[self.page.head.notion]
        return value if power == 1 or value == INFINITY else terms.sqrt(value)

    def grows(self, i: int) -> bool:
        return False

    def turned(self) -> At:
        others, point = {"D": "E", "E": "D"}, dict(self.point)
        for said, x in ((naming.read(name), x) for name, x in self.point.items()):
            point |= {said.of(others[said.database]): x} if said.database in others else {}
        return replace(super().turned(), point=point)

    def numbers(self, i: int) -> list[int]:
        return [i]

    def name(self, i: int, n: int) -> Words:
        return Words(self.mechanism(i).name)

    def mechanism_of(self, row: Row) -> str:
        return row.name

    def members(self, i: int) -> Iterator[Member]:
        """The members of a mechanism one by one, where they have parameters of their own."""
        ((_, r), *_), name = dict(self.type.moves)[i], self.name(i, i)
        count = self.core.mechanisms[i - 1].count
        number = 1 if count is None else int(formulas.at(count, self.point).number or 1)
        if not self.mechanism(i).counts:
            yield Member(i, _all(name, number), r, {}, number)
            return
        for j in range(1, number + 1):
            yield Member(i, member(name, j), r, computed.of_member(self.point, j))

    def about(self, row: Row, member: Member, loss: Term) -> Row:
        return self._about(row, member.name, formulas.to_text(loss), member.times)

    def _about(self, row: Row, name: str, loss: str, times: int) -> Row:
        said = Words("each ", row.said) if times > 1 else row.said
        several = {"times": times} if times > 1 else {}
        told = {"mechanism": name, "loss": loss, "by": said, **several}
        return replace(row, name=name, said=said, told=told)

    def of_curves(self, curves: computed.Curves) -> list[Row]:
        shown = []
        for i, those, piece in curves.most_lost(self.type, self.point):
            name, many = self.name(i, i), len(those)
            if self.core.mechanisms[i - 1].count is not None:
                name = member(name, those.start) if self.mechanism(i).counts else _all(name, many)
            noise = self.core.mechanisms[i - 1].noise is not None
            row = self.of_noise(i, i) if noise else rows.of_curve([i], piece)
            shown.append(self._about(row, name, "" if noise else _loss(piece), many))
        return list({row.name: row for row in shown}.values())

    def of_noise(self, i: int, n: int) -> Row:
        stated, told = self.mechanism(i), self.core.mechanisms[i - 1].noise
        assert stated.noise is not None and told is not None
        if stated.entries is None:
            return Row(n, Words("itself, with ", stated.noise.words), {})
        ends = []
        for who in "DE":
            named = ((naming.read(name), x) for name, x in self.point.items())
            at = {**self.point, **{said.of("D"): x for said, x in named if said.database == who}}
            ends.append(", ".join(formulas.to_text(formulas.at(entry, at)) for entry in told.entries))
        return rows.of_noise(n, f"({ends[0]})", f"({ends[1]})", stated.noise.words)


def _all(name: Words, number: int) -> Words:
    """The members of a family that are alike."""
    return listed([member(name, 1), member(name, number)], most=1) if number > 1 else name


def _loss(piece: Piece | None) -> str:
    """How far noise moves; oo where all is lost."""
    if piece is None:
        return "oo"
    return rows.mean(piece) if isinstance(piece, Laplace | Normal) else ""


def _in_order(name: str) -> tuple[str, int]:
    """Members of a family by their numbers: e[2] before e[10]."""
    said = naming.read(name)
    return said.base, said.index or 0
