"""Noise that a mechanism adds to the value of a query, and the guarantee that it gives.

What the noise is, why it is private, in which norm, and which guarantees it gives for values one unit
apart, stands on its page in theorems/noises/; at distance r they grow as the rule of the notion says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.core.assumptions import NOTHING, Assumed, holds_at, letters_of
from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.deciders.curves.noises import quotient
from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term, TermError
from dpcompose.kernel.library.releases import Noise as Law
from dpcompose.language import formulas, shipped
from dpcompose.language.said import Words, expressions_in, filled, formula
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import simple
from dpcompose.privacy.guarantees.notions import Guarantee

if TYPE_CHECKING:
    import sympy


LAWS = {"gaussian": "normal-noise"}
"""The ids of the pages of noises, by their words, where the two differ."""


@frozen
class Kind:
    """What is known of a noise by its word.

    called -- its parameter in words; words -- the noise with its parameters;
    takes -- the values of queries that it is for: "real", "vector", "integer", "bit", "plane", "scores",
    "keys" or "questions";
    needs -- the same in words, and what would do;
    further -- by their words, the letters on its page of further parameters; "" for what the query is told.
    """

    called: str
    words: str
    takes: str
    needs: str
    further: Mapping[str, str] = field(default_factory=dict, hash=False)


THRESHOLDED = "laplace-with-threshold"
"""What Laplace noise is called here, of which only what reaches a threshold is shown."""
GAUSSIAN_FROM = "gaussian-with-threshold"
"""The same of normal noise."""
SHOWN = {"laplace": THRESHOLDED, "gaussian": GAUSSIAN_FROM}
"""What noise is called with a threshold, by its word without."""
ABOVE, SCALE, TIMES = "above-threshold", "threshold-scale", "times"
"""The noise of questions whether sums reach a threshold: its word, and those of its further parameters."""
LOG_ODDS = "log(p/(1 - p))"
"""What randomized response loses."""


NUMBERS, FROM = "numbers", "counts by keys: { keys = L }, of keys that somebody has"

KINDS: Mapping[str, Kind] = {
    "laplace": Kind("scale", "Laplace noise of scale {}", "real", NUMBERS),
    "gaussian": Kind("standard deviation", "normal noise of standard deviation {}", "vector", NUMBERS),
    "geometric": Kind(
        "scale",
        "two-sided geometric noise of scale {}",
        "integer",
        "whole values: laplace noise would do, or a count or histogram",
    ),
    "randomized-response": Kind(
        "probability of the truth",
        "randomized response, true with probability {}",
        "bit",
        "one bit: leave the query out, and it is a bit of what is read",
    ),
    "planar-laplace": Kind(
        "scale", "planar Laplace noise of scale {}", "plane", "a location: { location = w }"
    ),
    "exponential": Kind(
        "factor of scores",
        "the exponential mechanism, by which a candidate has a probability proportional to exp({} * score)",
        "scores",
        "candidates with scores: the bins of a histogram",
    ),
    THRESHOLDED: Kind(
        "scale", "Laplace noise of scale {}, shown from {} on", "keys", FROM, {"threshold": "tau"}
    ),
    GAUSSIAN_FROM: Kind(
        "standard deviation",
        "normal noise of standard deviation {}, shown from {} on",
        "keys",
        FROM,
        {"threshold": "tau"},
    ),
    ABOVE: Kind(
        "scale",
        "Laplace noise of scale {}, and once on the threshold of scale {}, until {} are answered by yes",
        "questions",
        "questions: { questions = [l, u] }",
        {SCALE: "", TIMES: ""},
    ),
}
"""The kinds of noise, by the word of problem files."""


@frozen
class Noise(Shown):
    """Independent noise on every entry of a query's value.

    word -- which one, a key of KINDS; term -- its parameter: a scale or standard deviation, positive; or
    for randomized response the probability of the truth, in (0,1);
    own -- the head of a page of one's own that says what it is; left out: the word is a key of KINDS;
    further -- its further parameters by their words, as the kind has them: from which threshold on something
    is shown.
    """

    word: str
    term: Term
    own: Law | None = field(default=None, hash=False, repr=False)
    further: tuple[tuple[str, Term], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "term", formulas.term(self.term))
        object.__setattr__(self, "further", tuple((key, formulas.term(x)) for key, x in self.further))

    @property
    def besides(self) -> dict[str, Term]:
        """Further parameters, by their letters on the page."""
        letters = self.kind.further
        return {letters[key]: value for key, value in self.further if letters[key]}

    @property
    def terms(self) -> tuple[Term, ...]:
        """All its parameters."""
        return (self.term, *(value for _, value in self.further))

    def changed(self, change: Callable[[Term], Term]) -> Noise:
        """The same with other parameters."""
        further = tuple((key, change(value)) for key, value in self.further)
        return replace(self, term=change(self.term), further=further)

    @property
    def data(self) -> dict[str, str]:
        """The noise as a problem file states it."""
        word = next((word for word, shown in SHOWN.items() if shown == self.word), self.word)
        return {word: formulas.to_text(self.term)} | {key: formulas.to_text(x) for key, x in self.further}

    @property
    def parameter(self) -> sympy.Expr:
        """The parameter as a sympy expression."""
        return formulas.expression(self.term)

    def with_parameter(self, parameter: Term | sympy.Expr) -> Noise:
        """The same noise with another parameter."""
        return replace(self, term=formulas.term(parameter))

    @property
    def law(self) -> Law:
        """What its page states."""
        shown: Law = self.own or shipped.head("noises", LAWS.get(self.word, self.word))
        return shown

    @property
    def kind(self) -> Kind:
        return KINDS[self.word] if self.own is None else _of_page(self.own)

    @property
    def words(self) -> Words:
        """With its parameters, in words."""
        return filled(self.kind.words, *map(formula, self.terms))

    def _line(self) -> Sequence[str | sympy.Expr]:
        return list(expressions_in(self.words.parts))

    def value(self, formula: str, letters: Mapping[str, sympy.Expr] | None = None) -> sympy.Expr:
        """The same as `stated`, as a sympy expression; letters -- others that the formula may have.

        >>> randomized_response("exp(e)/(1 + exp(e))").value("log(p/(1 - p))")
        e
        """
        known = {name: formulas.term(x) for name, x in (letters or {}).items()}
        return formulas.expression(self.stated(formula, known))

    def stated(self, formula: str, letters: Mapping[str, Term] | None = None) -> Term:
        """A formula in the letter of the noise, for its parameter."""
        p = self.fitting
        if self.kind.takes == "bit" and formula == LOG_ODDS:
            return terms.log(_odds(p))
        return formulas.term(formula, {self.law.parameter: p, **self.besides, **(letters or {})})

    @property
    def fitting(self) -> Term:
        """The parameter; of a bit told as it is with a probability below 1/2 that of the other answer, which
        is the same mechanism with its answers exchanged."""
        p = self.term.number
        below = self.kind.takes == "bit" and p is not None and 2 * p < 1
        return 1 - self.term if below else self.term

    @property
    def told(self) -> dict[str, Any]:
        """What a core setting says of it: its page, and its parameters."""
        besides = {key: formulas.to_text(value) for key, value in self.besides.items()}
        more = {"besides": besides} if besides else {}
        return {"page": self.law.id, "parameter": formulas.to_text(self.fitting), **more}

    def guarantee(
        self, notion: str | None = None, letters: Mapping[str, Term] | None = None
    ) -> Guarantee | None:
        """The guarantee for values one unit apart, in a notion or its own; None where there is none.

        letters -- those of the query, where it depends on them.

        >>> str(laplace("1/e").guarantee()), laplace(1).guarantee("zcdp")
        ('pure (e)', None)
        """
        states = self.law.guarantee
        own = next(iter(states))
        notion = own if notion is None else notion
        try:
            given = tuple((key, self.stated(text, letters)) for key, text in states.get(notion, {}).items())
        except (formulas.FormulaError, TermError) as error:
            if notion == own:
                raise formulas.FormulaError(str(error)) from None
            return None  # a parameter of that notion is larger than numbers of formulas may be
        return Guarantee(notion, given) if given else None

    def unfit(self, domains: Mapping[str, Domain], assumed: Assumed = NOTHING) -> str | None:
        """Why the parameter is none, in words; None where it is fine for all allowed values.

        domains -- the allowed values of the parameters in it; assumed -- relations between these.

        >>> from dpcompose.language.symbols import UNIT_INTERVAL
        >>> print(laplace("1 - d").unfit({"d": UNIT_INTERVAL}))
        None
        >>> laplace("1 - 2*d").unfit({"d": UNIT_INTERVAL})
        'the scale 1 - 2*d must be positive for all allowed values, but it is 0 at d = 1/2'
        """
        x = _in(self.term, domains)
        if x.kind == "oo":
            return f"the {self.kind.called} is a finite number"
        if self.kind.takes != "bit":
            fine = values.surely(x, assumed=assumed)
        else:
            fine = x != terms.ONE and (
                values.surely(_odds(x), assumed=assumed)
                or (values.surely(x, assumed=assumed) and values.surely(1 - x, assumed=assumed))
            )
        if fine:
            return self._unfit_further(domains, assumed)
        wanted = "lie between 0 and 1" if self.kind.takes == "bit" else "be positive"
        if not x.letters:
            return f"the {self.kind.called} must {wanted}, not {formulas.to_text(x)}"
        shown = f"the {self.kind.called} {formulas.to_text(x)} must {wanted} for all allowed values"
        return shown + _where_not_above(x, self.kind.takes == "bit", domains, assumed)

    def _unfit_further(self, domains: Mapping[str, Domain], assumed: Assumed) -> str | None:
        """Why a further parameter is none: a scale is positive, and how often yes is answered whole."""
        for key, term in self.further:
            x = _in(term, domains)
            shown = formulas.to_text(x)
            if key == TIMES and x.kind == "oo":
                return "without a limit on how often yes is answered no finite epsilon holds: say times"
            if key == TIMES and not kernel.is_whole(x):
                return f"how often yes is answered is a whole number, and {shown} is not known to be"
            if key == SCALE and not values.surely(x, assumed=assumed):
                return f"the scale of the threshold's noise must be positive, and {shown} is not known to be"
        return None


def _of_page(law: Law) -> Kind:
    """What the page of a noise of one's own says: it is for real numbers."""
    words = f"{law.noise} noise with {law.parameter} = {{}}"
    return Kind(f"parameter {law.parameter}", words, "real", NUMBERS)


def laplace(scale: object, threshold: object = None) -> Noise:
    """Laplace noise: Y with density exp(−|y|/b)/(2b) is added to every entry of a query's value.

    scale -- b, a positive formula, such as "1/e" for noise that makes a count ε-DP;
    threshold -- of counts by keys (`keys`): only what is at least so much is shown.

    `compose` raises InvalidSetting, or FormulaError, where it may be 0 or less.

    >>> laplace("1/e").words
    'Laplace noise of scale 1/e'
    >>> laplace("L/e", threshold=20).words
    'Laplace noise of scale L/e, shown from 20 on'
    """
    if threshold is None:
        return _noise("laplace", scale)
    return _noise(THRESHOLDED, scale, ("threshold", threshold))


def gaussian_noise(deviation: object, threshold: object = None) -> Noise:
    """Normal noise of this standard deviation is added to every entry of a query's value.

    threshold -- of counts by keys (`keys`): only what is at least so much is shown.

    `compose` raises InvalidSetting, or FormulaError, where it may be 0 or less.

    >>> [str(gaussian_noise("s").guarantee(notion)) for notion in ("gaussian", "zcdp", "pure")]
    ['gaussian (1/s)', 'zcdp (1/(2*s**2))', 'pure (oo)']
    """
    if threshold is None:
        return _noise("gaussian", deviation)
    return _noise(GAUSSIAN_FROM, deviation, ("threshold", threshold))


def geometric(scale: object) -> Noise:
    """Two-sided geometric noise: whole numbers y with probability proportional to exp(−|y|/b).

    For queries with whole values: counts and histograms.

    scale -- b.  `compose` raises InvalidSetting, or FormulaError, where it may be 0 or less.

    >>> str(geometric("1/e").guarantee())
    'pure (e)'
    """
    return _noise("geometric", scale)


def planar_laplace(scale: object) -> Noise:
    """Planar Laplace noise: a point of the plane with density exp(−|y|/b)/(2πb²) is added to a location.

    scale -- b.  `compose` raises InvalidSetting, or FormulaError, where it may be 0 or less.

    >>> str(planar_laplace("1/e").guarantee())
    'pure (e)'
    """
    return _noise("planar-laplace", scale)


def exponential(factor: object) -> Noise:
    """The exponential mechanism: a candidate is chosen with probability ∝ exp(t·score).

    factor -- t, a positive formula; with ε/2 it is what textbooks call the exponential mechanism for scores
    of sensitivity 1.  Candidates are the bins of a histogram, or those of `scores` and `monotone_scores`.

    `compose` raises InvalidSetting, or FormulaError, where it may be 0 or less.

    >>> str(exponential("e/2").guarantee())
    'pure (e/2)'
    """
    return _noise("exponential", factor)


def above_threshold(scale: object, threshold_scale: object, times: object = 1) -> Noise:
    """Above threshold, the sparse vector technique: a question is answered by yes where a sum with Laplace
    noise reaches a threshold with Laplace noise, until so many are.

    scale -- of the noise of each sum; threshold_scale -- of that of the threshold, which is drawn once;
    times -- how often yes is answered.  For `questions`.

    `compose` raises InvalidSetting, or FormulaError, where a scale may be 0 or less.

    >>> above_threshold("4/e", "2/e").data
    {'above-threshold': '4/e', 'threshold-scale': '2/e', 'times': '1'}
    """
    return _noise(ABOVE, scale, (SCALE, threshold_scale), (TIMES, times))


def randomized_response(truth: object) -> Noise:
    """Randomized response: one bit is told as it is with the probability `truth`, else the other one.

    `compose` raises ValueError for what is no probability.

    >>> str(randomized_response("3/4").guarantee())
    'pure (log(3))'
    """
    return _noise("randomized-response", truth)


def _odds(p: Term) -> Term:
    """p/(1 − p) as one quotient.

    >>> [formulas.to_text(_odds(formulas.term(p))) for p in ("f", "1 - f/2", "exp(e)/(1 + exp(e))")]
    ['f/(1 - f)', '(2 - f)/f', 'exp(e)']
    """
    over, under = quotient(p)
    return substitution.expanded(over) / substitution.expanded(under - over)


def _in(term: Term, domains: Mapping[str, Domain]) -> Term:
    """The term with the values that its letters may have here."""
    known = {name: terms.letter(name, domains[name]) for name in term.letters if name in domains}
    return substitution.substituted(term, known)


MOST_POINTS = 500
"""At how many simple points a parameter is tried that is not seen to be allowed everywhere."""


def _where_not_above(x: Term, below_one: bool, domains: Mapping[str, Domain], assumed: Assumed) -> str:
    """Simple allowed values at which not 0 < x, or not x < 1, in words; "" where none is found."""
    names = sorted(({*x.letters, *letters_of(assumed)} if assumed else x.letters.keys()) & domains.keys())
    choices = product(*(simple(domains[name]) for name in names))
    for point in (dict(zip(names, numbers, strict=True)) for numbers in islice(choices, MOST_POINTS)):
        if not holds_at(assumed, point):
            continue
        try:
            value = kernel.evaluate(x, point)
        except formulas.FormulaError as error:
            return f", but {error.message}"
        if value is not None and (value <= 0 or (below_one and value >= 1)):
            at = ", ".join(f"{name} = {number}" for name, number in point.items())
            return f", but it is {value}{f' at {at}' if at else ''}"
    return ""


def _noise(word: str, parameter: object, *further: tuple[str, object]) -> Noise:
    made = Noise(word, formulas.term(parameter), further=tuple((key, formulas.term(x)) for key, x in further))
    if not made.term.letters and (why := made.unfit({})):
        raise ValueError(why)
    return made
