"""Conclusions: what named theorems give for the mechanisms of a guarantee, and whether that is the guarantee.

The guarantee is a theorem of the kernel already.  What is found here decides only which theorem is cited for
it, and what is said of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

from dpcompose.kernel.composition import losses
from dpcompose.kernel.composition.losses import Loss
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers.types import Cover, Type
from dpcompose.kernel.expressions import forms, formulas, naming, terms
from dpcompose.kernel.expressions.forms import Form, NotAForm
from dpcompose.kernel.expressions.formulas import FormulaError
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.polynomials import Peak
from dpcompose.kernel.expressions.terms import INFINITY, Term
from dpcompose.kernel.judgements import Composed, Satisfies
from dpcompose.kernel.library.theory import NoPage, Theory
from dpcompose.search.comparisons import parameters
from dpcompose.search.comparisons.weights import value_at
from dpcompose.search.guarantees import Guarantees, points

LARGEST_SHAPE = 20_000
"""The most sums into which a worst case is spread when it is compared with another one."""
FEW_EFFORTS = 1
"""How often a proof by calculus is looked for where only words depend on it."""

Values = Mapping[str, Term]


class NoConclusion(ValueError):
    """A named theorem does not give the guarantee; the message says what it gives, or why it gives none."""


class OtherConclusion(NoConclusion):
    """It gives something else; how that compares with the guarantee is found where it is to be said."""

    def __init__(self, said: Callable[[], str]) -> None:
        super().__init__(said)
        self.said = said

    def __str__(self) -> str:
        return self.said()


@frozen
class Conclusions:
    """What named theorems conclude of the mechanisms of one guarantee, by the rule of its notion."""

    setting: Setting
    theory: Theory
    losses: tuple[Loss, ...]
    guarantee: Satisfies
    cover: Cover

    @classmethod
    def of(cls, guarantees: Guarantees) -> Conclusions:
        """Those about the guarantee of a setting by the rule of its notion, before the whole is converted."""
        composed, guarantee = guarantees.composed.says, guarantees.before.says
        assert isinstance(composed, Composed) and isinstance(guarantee, Satisfies)
        return cls(
            guarantees.shop.setting, guarantees.shop.theory, composed.losses, guarantee, guarantees.shop.types
        )

    @property
    def notion(self) -> str:
        return self.guarantee.notion

    @property
    def rule(self) -> Any:
        return self.theory.rule(self.notion)

    def check(self, page: Any, apart: Term) -> None:
        """That a theorem gives the guarantee.  Raises NoConclusion, with a sentence about "it".

        apart -- m, where its guarantees are stated in H: how many H-steps two target neighbours can be apart.
        """
        shape = page.head.shape
        if shape is not None:
            of = self.theory.page(shape, "shape").head
            if not all(lies_in(type, of.each, of.sum) for type in self.cover.types):
                raise NoConclusion(f"does not bound it: a vector lies outside of {shape}")
        if self.notion not in page.head.conclusion:
            return  # it concludes what the profile gives
        concluded = self.concluded(page, apart)
        if not self.cover.types:
            raise NoConclusion("is not needed: there are no neighbours")
        if self._is_guarantee(concluded):
            return
        raise OtherConclusion(lambda: self._said(concluded))

    # what is concluded

    def concluded(self, page: Any, apart: Term) -> dict[str, Term]:
        """A page's formulas for the parameters of the mechanisms."""
        texts = self._formulas(page)
        if apart.kind == "oo" or any(
            value.kind == "oo" for values in self.stated for value in values.values()
        ):
            return dict.fromkeys(texts, INFINITY)
        if any(mechanism.count is not None for mechanism in self.setting.mechanisms):
            return self._of_a_family(texts, apart)
        families = {key: [values[key] for values in self.stated] for key in self.rule.head.parameters}
        letters = {"k": terms.number(len(self.stated)), "m": apart}
        return {key: formulas.parse(text, letters, families) for key, text in texts.items()}

    def _of_a_family(self, some: Mapping[str, str], apart: Term) -> dict[str, Term]:
        """The same where the mechanisms are one family, over its number of members."""
        if len(self.setting.mechanisms) > 1:
            raise NoConclusion("is not written out for families beside other mechanisms")
        count, (values,) = self.setting.mechanisms[0].count, self.stated
        assert count is not None
        letters = {**{naming.general(key): value for key, value in values.items()}, "k": count, "m": apart}
        try:
            return {key: formulas.parse(text, letters, {}) for key, text in some.items()}
        except FormulaError:
            raise NoConclusion("is not written out for a symbolic number of mechanisms") from None

    def _formulas(self, page: Any) -> Mapping[str, str]:
        """The page's formula for each parameter of the notion; a single formula is that of the only one."""
        given: str | Mapping[str, str] = page.head.conclusion[self.notion]
        return {self.rule.head.parameters[0]: given} if isinstance(given, str) else given

    @cached_property
    def stated(self) -> Sequence[Values]:
        """The parameters of the mechanisms' guarantees as stated, converted to the notion."""
        return [self._stated(loss) for loss in self.losses]

    def _stated(self, loss: Loss) -> Values:
        values: Values = dict(loss.values)
        for converted in loss.then:
            page = self.theory.page(converted.page, "conversion")
            values = losses.converted(self.theory, page, values, dict(converted.chosen), orders=loss.orders)
        return values

    # comparisons

    def _is_guarantee(self, concluded: Values) -> bool:
        """Whether what is concluded is the guarantee: as it stands, or spread into sums."""
        known = dict(self.guarantee.values)
        if concluded.keys() != known.keys():
            return False
        for key, value in concluded.items():
            if "oo" in (value.kind, known[key].kind):
                if value.kind != known[key].kind:
                    return False
                continue
            form, other = self._form(key, value), self._form(key, known[key])
            if form == other or (not self._differ(form, other) and spread(form) == spread(other)):
                continue
            if not self.setting.assumed or not self._is_same(key, value, known[key]):
                return False
        return True

    def _differ(self, form: Form, other: Form) -> bool:
        """Whether two forms are seen to differ, at the simplest point of the parameters."""
        with suppress(NotAForm, FormulaError, KeyError):  # of families, which no point writes out
            return any(value_at(form, at) != value_at(other, at) for at in points(self.setting, 1))
        return False

    def _is_same(self, key: str, term: Term, other: Term) -> bool:
        """Whether two values are seen to be equal."""
        return self._surely_at_least(key, term, other) and self._surely_at_least(key, other, term)

    def _said(self, concluded: Values) -> str:
        """What is concluded in place of the guarantee, and how it compares with that."""
        shown = ", ".join(formulas.to_text(self._written(key, value)) for key, value in concluded.items())
        return f"gives {shown}, which is {self._compared(concluded)}"

    def _compared(self, concluded: Values) -> str:
        """How a conclusion that is not the guarantee compares with it."""
        known = dict(self.guarantee.values)
        try:
            if all(self._surely_at_least(key, value, known[key]) for key, value in concluded.items()):
                if all(self._surely_at_least(key, known[key], value) for key, value in concluded.items()):
                    return "the best bound in another form"
                return "valid, but looser than the best bound"
        except (NotAForm, NoPage, KeyError):
            pass
        return "not what the profile gives"

    def _surely_at_least(self, key: str, greater: Term, lesser: Term) -> bool:
        if greater.kind == "oo" or lesser.kind == "oo":
            return greater.kind == "oo"
        return (
            parameters.at_least(greater, lesser, self._is_squared(key), FEW_EFFORTS, self.setting.assumed)
            is not None
        )

    def _is_squared(self, key: str) -> bool:
        return key in self.rule.head.squared

    def _form(self, key: str, value: Term) -> Form:
        """The form of a parameter's value, or of its square where it is composed by squares."""
        try:
            return (forms.squared if self._is_squared(key) else forms.read)(value, self.setting.known)
        except NotAForm as error:
            raise NoConclusion(f"is not compared with it: {error}") from None

    def _written(self, key: str, value: Term) -> Term:
        """A value as guarantees are written: its form, or the root of that."""
        if value.kind == "oo":
            return value
        written = forms.write(self._form(key, value))
        return forms.root(written) if self._is_squared(key) else written


def spread(form: Form) -> frozenset[Form]:
    """The forms whose maximum a form is: of rest + top(m, x_1, …, x_n) these are rest + x_i + … + x_j."""
    if len(form.peaks) != 1 or form.peaks[0][1] != 1:
        return frozenset({form})
    peak = form.peaks[0][0]
    if comb(len(peak.of), peak.m) > LARGEST_SHAPE:
        raise NoConclusion("is not compared with it: the worst case has too many sums")
    rest = Form(tuple(item for item in form.terms if not isinstance(item[0], Peak)))
    return frozenset(
        forms.largest(rest + forms.total(combination) for combination in combinations(peak.of, peak.m))
    )


def lies_in(type: Type, each: int, total: int | None) -> bool:
    """Whether r_i ≤ each and Σ r_i ≤ total for the inputs that a type of neighbours moves."""
    distances = []
    for _, members in type.moves:
        for many, r in members:
            if r.number is None or r.number > each or (many == 0 and total is not None):
                return False
            if isinstance(many, Term):
                return False
            distances += [r.number] * max(many, 1)
    return total is None or sum(distances) <= total
