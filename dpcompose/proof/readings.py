"""What a guarantee says of an attacker who must tell two neighbours apart by the output.

A test accuses: it says that the data were D.  Its false positives are P(it accuses | E), its true
positives P(it accuses | D).  A guarantee bounds the true positives by the false ones; the trade-off
function f(a) is the least rate of false negatives, one minus the true positives, where the rate of false
positives is a (GB Def. VI.17).
"""

from __future__ import annotations

from fractions import Fraction

from dpcompose.kernel.deciders.curves.curves import Part
from dpcompose.kernel.deciders.curves.normal import distribution, quantile, root
from dpcompose.kernel.deciders.curves.tails import Normal
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.intervals import ONE, ZERO, Interval, enclosure, exp, log
from dpcompose.kernel.expressions.keeping import frozen

BITS = 128
"""With how many binary digits rates are enclosed."""


@frozen
class Reading:
    """A guarantee with numbers, read as what a membership test can reach; every number is enclosed.

    part -- (ε, δ) of one step, or Gaussian or zCDP privacy; None: nothing is promised.  Of (ε, δ) and μ
    some mechanism reaches what is said; of ρ the lower number is reached by normal noise.

    >>> pure = Reading(Part(terms.log(terms.number(3)), terms.ZERO))
    >>> str(pure.true_positives(Fraction(1, 10)).high), str(pure.advantage.low), str(pure.posterior().low)
    ('3/10', '1/2', '3/4')
    >>> normal = Reading(Normal(terms.ONE))
    >>> normal.advantage.low * 10**10 // 1, normal.trade_off(Fraction(1, 20)).low * 10**6 // 1
    (3829249225, 740488)
    """

    part: Part | Normal | None

    def true_positives(self, rate: Fraction) -> Interval:
        """The largest rate of true positives of a test with this rate of false ones, in [0, 1]."""
        if not 0 <= rate <= 1:
            raise ValueError(f"a rate of false positives lies in [0, 1], and {rate} does not")
        if self.part is None:
            return ONE
        a = Interval.of(rate)
        interval = (
            self._approximate(self.part, a) if isinstance(self.part, Part) else self._normal(self.part, a)
        )
        return interval.at_most(ONE).at_least(a)

    def trade_off(self, rate: Fraction) -> Interval:
        """f(a): the least rate of false negatives where that of false positives is a."""
        return ONE - self.true_positives(rate)

    @property
    def advantage(self) -> Interval:
        """The largest difference of the two rates: (e^ε − 1 + 2δ)/(e^ε + 1); 2Φ(μ/2) − 1."""
        if self.part is None:
            return ONE
        if isinstance(self.part, Normal):
            return self.part.delta(ZERO, BITS)
        x, delta = enclosure(terms.exp(self.part.epsilon), BITS), self._delta(self.part)
        return (x - ONE + delta + delta) * (x + ONE).inverse()

    def posterior(self, prior: Fraction = Fraction(1, 2), rate: Fraction | None = None) -> Interval:
        """The largest probability that the data were D, once the test accuses.

        prior -- that before; rate -- of false positives, left out: the worst of all, which is 1 unless δ = 0.
        """
        if not 0 < prior < 1:
            raise ValueError(f"a prior lies between 0 and 1, and {prior} does not")
        if rate == 0:
            return ONE if self.true_positives(Fraction(0)).high > 0 else Interval.of(prior)
        odds = Interval.of(prior / (1 - prior))
        if rate is not None:
            odds = odds * self.true_positives(rate) * Interval.of(1 / rate)
        elif isinstance(self.part, Part) and self.part.delta == terms.ZERO:
            odds = odds * enclosure(terms.exp(self.part.epsilon), BITS)
        elif self.advantage.high == 0:
            return Interval.of(prior)
        else:
            return ONE
        return odds * (odds + ONE).inverse()

    @staticmethod
    def _delta(part: Part) -> Interval:
        return enclosure(part.delta, BITS).at_most(ONE)

    def _approximate(self, part: Part, a: Interval) -> Interval:
        """min(δ + e^ε·a, 1 − e^(−ε)(1 − δ − a)), the function of canonical noise."""
        x, delta = enclosure(terms.exp(part.epsilon), BITS), self._delta(part)
        return (delta + x * a).at_most(ONE - x.inverse() * (ONE - delta - a)).rounded(BITS)

    def _normal(self, part: Normal, a: Interval) -> Interval:
        """Φ(Φ⁻¹(a) + μ); of what is zCDP e^((α−1)ρ)·a^(1−1/α) at the best of some α, and a + the advantage.

        The former is Hölder's inequality, P(S) ≤ (∫(p/q)^α dQ)^(1/α)·Q(S)^(1−1/α).
        """
        if a.low <= 0 or a.high >= 1:
            return a  # what never happens at E never happens at D
        interval = quantile(a, BITS)
        if interval is None:
            return Interval(a.low, Fraction(1))
        attained = enclosure(part.square + 2 * part.rho, BITS)
        mu = Interval(root(attained.low, BITS).low, root(attained.high, BITS).high)
        reached = distribution(interval + mu, BITS)
        if part.rho == terms.ZERO:
            return reached
        rho = attained.high / 2
        most = min(_by_order(a.high, rho, order) for order in ORDERS)
        return Interval(reached.low, min(most, a.high + self.advantage.high))


ORDERS = tuple(Fraction(n, 8) for n in (9, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512))
"""The α at which what is zCDP is read."""


def _by_order(a: Fraction, rho: Fraction, order: Fraction) -> Fraction:
    """e^((α−1)ρ)·a^(1−1/α), rounded up."""
    exponent = Interval.of((order - 1) * rho) + log(Interval.of(a), BITS) * Interval.of(1 - 1 / order)
    return exp(exponent.rounded(BITS), BITS).high
