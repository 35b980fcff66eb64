"""Why there is no curve: the true reason, whatever was asked for."""

import pytest

import dpcompose as dpc
from dpcompose.front.numbers.curve import NoCurve
from dpcompose.kernel.deciders.curves import lattices

LAPLACE = dpc.mechanism("L", query=dpc.count, noise=dpc.laplace("200"), count=20_000)
NORMAL = dpc.mechanism("N", query=dpc.count, noise=dpc.gaussian_noise("200"), count=100)


def test_too_many_losses_are_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the most mechanisms that there may be losses are put on coarser lattices: so with less work."""
    monkeypatch.setattr(lattices, "LARGEST_WORK", 1_000)
    curve = dpc.compose(LAPLACE, NORMAL, on=dpc.multisets("ab"), target=dpc.unbounded).curve()
    for ask in (lambda: curve.delta(1), lambda: curve.epsilon("1e-6")):
        with pytest.raises(NoCurve) as refused:
            ask()
        assert "too many to go through" in str(refused.value)
        assert "nothing computes" not in str(refused.value)


def test_thousands_of_several_kinds_have_one() -> None:
    laplace = dpc.mechanism("L", query=dpc.count, noise=dpc.laplace("200"), count=500)
    normal = dpc.mechanism("N", query=dpc.count, noise=dpc.gaussian_noise("200"), count=500)
    curve = dpc.compose(laplace, normal, on=dpc.multisets("ab"), target=dpc.unbounded).curve()
    known = curve.delta(1)
    assert known.lower is not None and known.upper is not None
    assert known.upper < known.lower * 102 / 100 and 4e-12 < known.lower < 5e-12


def test_no_upper_bound_is_told_of_ends_alone() -> None:
    """Sixty steps are some in each part: that all of them in one lose most is known only of losses that add up."""
    mechanisms = [
        dpc.mechanism(name, dpc.pure("1/50", dpc.unbounded, "own"), reads={record})
        for name, record in (("M", "a"), ("N", "b"))
    ]
    study = dpc.compose(*mechanisms, on=dpc.multisets("ab"), target=dpc.group(60, dpc.unbounded))
    unknown, below = (study.check(dpc.approximate("1/2", delta)) for delta in ("3/10", "1/4"))
    assert (unknown.verdict, below.verdict) == ("undecided", "refuted")
    assert "lower bound 0.2953471 and no upper bound that is known" in str(unknown.reason)
    with pytest.raises(NoCurve, match="what is between them is too much"):
        study.curve().epsilon("1/100")
    assert study.curve().delta("1/2").ends() == ("0.2953471", None)
