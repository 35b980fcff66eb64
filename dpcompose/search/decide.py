"""Decides "g ≥ l for all allowed parameters" by finding a certificate for it or against it.

Order of work: the first of a grid of points; weights that are seen at once for each piece of g − l
(see `forms.pieces`) or, where the pieces are many, a rule for all of them; the other points, first
those where what no rule covers is large; where the comparison is not linear, points and steps of
calculus (`analysis`); then piece by piece the solver for weights or for a point.
What comes out is a certificate that `dpcompose.proof.certificates` has checked; where none is found,
the reason.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, islice, product

from dpcompose.language import forms, formulas
from dpcompose.language.elementary import NotElementary
from dpcompose.language.forms import ONE, Form, Monomial, Peak
from dpcompose.language.symbols import Domain, family_of, simple
from dpcompose.proof import calculus, certificates, rays
from dpcompose.proof.certificates import BadCertificate, PieceProof, Proof, Weights
from dpcompose.proof.signs import bound_form
from dpcompose.search import covering
from dpcompose.search.solver import Z3, Constraint, Solver, Sure

Point = dict[str, Fraction]


@dataclass(frozen=True)
class AtLeast:
    """g ≥ l holds for all allowed parameters; `proof` shows it."""

    proof: Proof


@dataclass(frozen=True)
class Fails:
    """l > g at the point."""

    point: Point


@dataclass(frozen=True)
class Undecided:
    """Neither was shown; the reason in words."""

    reason: str


Decision = AtLeast | Fails | Undecided
STANDARD = Z3()
MOST_SECONDS = 20
"""How long a comparison is searched, half of it for weights at most; then it stays undecided."""
FIRST_POINTS = 8
"""How many simple points are tried before any proof; the others come before the solver."""
FEW_PIECES = 20
"""Up to so many pieces are proved one by one, beyond by a rule for all of them if there is one."""
MOST_LARGE = 30
"""How many monomials are made large one by one."""
LARGEST_GRID = 200_000
"""The most terms that are evaluated at simple points before the solver is asked."""


def at_least(
    greater: Form,
    lesser: Form,
    domains: Mapping[str, Domain],
    solver: Solver = STANDARD,
    until: float | None = None,
    efforts: int | None = None,
) -> Decision:
    """Whether greater ≥ lesser for all allowed values of the parameters.

    until -- the time on the monotonic clock at which the search ends; left out, MOST_SECONDS from now.
    efforts -- how often a proof by calculus is looked for, each time with more effort; left out, until all
        of `analysis.EFFORTS` are spent.

    >>> from dpcompose.language.symbols import POSITIVE
    >>> e, f = Form.parameter("e"), Form.parameter("f")
    >>> at_least(forms.top(1, [e, f]), e + f, {"e": POSITIVE, "f": POSITIVE}).point == {"e": 1, "f": 1}
    True
    """
    until = time.monotonic() + MOST_SECONDS if until is None else until
    if sizes := rays.counts([greater, lesser]):
        return _over_families(greater, lesser, sizes, domains, solver, until)
    apart = greater - lesser
    (difference,), with_rays = rays.on_rays([apart], domains)
    names = greater.names | lesser.names
    has_atoms = any(name not in with_rays for name in difference.names)
    parameters = sorted(_letters(names) & set(domains))
    grid = islice(_grid(parameters, domains), max(4, LARGEST_GRID // (1 + difference.size)))
    for point in islice(grid, FIRST_POINTS):
        if not _holds(apart, point) and _fails(greater, lesser, domains, point):
            return Fails(point)
    seen = _at_a_glance(difference, with_rays)
    if not isinstance(seen, list):
        return _checked(greater, lesser, domains, seen)
    for point in () if has_atoms else chain(_where_large(difference, seen, parameters, domains), grid):
        if _fails(greater, lesser, domains, point):
            return Fails(point)
    bent = has_atoms or _has_products(difference)
    early = (time.monotonic() + until) / 2  # what calculus does not find leaves time for weights
    decided = _by_calculus(greater, lesser, domains, early, efforts) if bent else None
    if decided is not None:
        return decided
    found = _prove(difference, with_rays, solver, until)
    if not bent and isinstance(found, Form) and all(with_rays[name].integer for name in difference.names):
        decided = _by_calculus(greater, lesser, domains, until, efforts=1)
        if decided is not None:
            return decided
    if isinstance(found, Form | Undecided):
        refute = _refute_any if isinstance(found, Form) else _refute_some
        point_found = refute(greater - lesser, parameters, domains, solver, until)
        if point_found is not None and _fails(greater, lesser, domains, point_found):
            return Fails(point_found)
        if (
            bent
            and isinstance(found, Form)
            and _is_excluded(greater - lesser, parameters, domains, solver, until)
        ):
            return Undecided(BY_WORD)
        return Undecided(_why(found, domains)) if isinstance(found, Form) else found
    return _checked(greater, lesser, domains, found)


BY_WORD = (
    "the solver says that it holds, but gives no proof that is checked without it, and none was found; "
    "its word alone proves nothing here"
)
"""The reason where only the solver's word stands."""


def _has_products(form: Form) -> bool:
    return any(sum(power for _, power in term) > 1 for term, _ in form.monomials) or any(
        _has_products(inner) for peak, _ in form.peaks for inner in peak.of
    )


def _by_calculus(
    greater: Form,
    lesser: Form,
    domains: Mapping[str, Domain],
    until: float,
    efforts: int | None = None,
) -> Decision | None:
    """A proof by steps of calculus, or a point where it fails, of values that may be irrational."""
    from dpcompose.search import analysis

    (difference,), with_rays = rays.on_rays([greater - lesser], domains)
    try:
        wanted = calculus.goal(difference, with_rays)
    except NotElementary:
        return None
    names = _letters(greater.names | lesser.names) & set(domains)
    usual = {name: simple(domains[name])[0] for name in names}  # of what cancels, too
    found = analysis.decide(
        wanted, lambda point: _fails(greater, lesser, domains, usual | point), efforts, until
    )
    if isinstance(found, dict):
        return Fails(usual | found)
    decision = None if found is None else _checked(greater, lesser, domains, found)
    return decision if isinstance(decision, AtLeast) else None


def _at_a_glance(difference: Form, domains: Mapping[str, Domain]) -> Proof | list[Monomial]:
    """A proof without the solver: of each piece where they are few, else a rule for all of them.

    Without one, monomials that a rule would not cover.
    """
    pieces = forms.pieces(difference, FEW_PIECES)
    if pieces is None:
        return covering.find(difference, domains)
    proofs = [_at_once(piece, domains) for piece in pieces]
    return [] if None in proofs else tuple(proof for proof in proofs if proof is not None)


def _prove(
    difference: Form, domains: Mapping[str, Domain], solver: Solver, until: float
) -> Proof | Form | Undecided:
    """Weights for every piece of g − l, or the first piece for which none were found; in half of the time."""
    pieces = forms.pieces(difference, certificates.MOST_PIECES)
    if pieces is None:
        return Undecided(f"the comparison falls into more than {certificates.MOST_PIECES:,} cases")
    proofs = []
    half = (time.monotonic() + until) / 2
    for piece in pieces:
        if time.monotonic() > half:
            return Undecided(f"the comparison was not finished in {MOST_SECONDS} seconds")
        proof = _prove_piece(piece, domains, solver)
        if proof is None:
            return piece
        proofs.append(proof)
    return tuple(proofs)


def _checked(greater: Form, lesser: Form, domains: Mapping[str, Domain], proof: Proof) -> Decision:
    try:
        certificates.check_at_least(greater, lesser, domains, proof)
    except BadCertificate as error:
        return Undecided(f"the certificate that was found is refused: {error}")
    return AtLeast(proof)


MOST_MEMBERS = 12
"""How many numbers of members are tried for a counterexample, from the smallest on."""


def _over_families(
    greater: Form, lesser: Form, sizes: list[str], domains: Mapping[str, Domain], solver: Solver, until: float
) -> Decision:
    """For all numbers of members at once by the ray argument; against it, the smallest number that fails."""
    try:
        (difference,), with_rays = rays.on_rays([greater - lesser], domains)
        seen = _at_a_glance(difference, with_rays)
        if not isinstance(seen, list):
            return _checked(greater, lesser, domains, seen)
        found = _prove(difference, with_rays, solver, until)
    except forms.NotAForm as error:
        found = Undecided(str(error))
    if isinstance(found, tuple):
        return _checked(greater, lesser, domains, found)
    for point in _points_of_families(sizes, (greater, lesser), domains):
        if _fails(greater, lesser, domains, point):
            return Fails(point)
    holds = 0
    for chosen in _small_sizes(sizes, domains):
        if time.monotonic() > until:
            break
        try:
            more, less = (rays.written_out(form, chosen, domains) for form in (greater, lesser))
        except forms.NotAForm:
            break
        members = {name: rays.member_domain(name, domains) for name in _letters(more.names | less.names)}
        explicit = {**domains, **{name: domain for name, domain in members.items() if domain is not None}}
        decision = at_least(more, less, explicit, solver, until)
        if isinstance(decision, Fails):
            numbers = {name: Fraction(size) for name, size in chosen.items() if name in domains}
            point = _all_members(decision.point | numbers, chosen, (greater, lesser), domains)
            if _fails(greater, lesser, domains, point):
                return Fails(point)
        if not isinstance(decision, AtLeast):
            break
        holds += 1
    if isinstance(found, Undecided):
        return found
    smallest = f", and it holds for the {holds} smallest ones" if holds > 1 else ""
    return Undecided(f"it is not shown for all numbers of members{smallest}")


LARGEST_WRITTEN_OUT = 40
"""The most members of a family that are written out for the solver; beyond, only simple points are tried."""


def _small_sizes(sizes: list[str], domains: Mapping[str, Domain]) -> Iterator[dict[str, int]]:
    """Numbers of members, all as small as allowed first, up to LARGEST_WRITTEN_OUT."""
    if any(name.isdigit() and int(name) > LARGEST_WRITTEN_OUT for name in sizes):
        return
    for chosen in _sizes(sizes, domains):
        if max(chosen.values(), default=0) <= LARGEST_WRITTEN_OUT:
            yield chosen


def _sizes(sizes: list[str], domains: Mapping[str, Domain]) -> Iterator[dict[str, int]]:
    """Numbers of members of the families of a symbolic number: all alike from the smallest on."""
    least = {name: max(1, int(domains[name].least or 1)) for name in sizes if name in domains}
    for more in range(MOST_MEMBERS if least else 1):
        yield {name: size + more for name, size in least.items()}
        for one in least if more and len(least) > 1 else ():
            yield {name: size + more * (name == one) for name, size in least.items()}


def _points_of_families(
    sizes: list[str], sides: tuple[Form, Form], domains: Mapping[str, Domain]
) -> Iterator[Point]:
    """Simple points for a few numbers of members: all alike, or the first one or two above the rest."""
    names = _letters(sides[0].names | sides[1].names)
    families = sorted(name for name in names if family_of(name))
    scalars = [name for name in sorted(names) if name in domains and not family_of(name)]
    for chosen in islice(_sizes(sizes, domains), 4):
        count = max([*chosen.values(), *(int(k) for k in sizes if k.isdigit())])
        if count > LARGEST_POINT:
            return
        numbers = {name: Fraction(size) for name, size in chosen.items()}
        for point in islice(_grid([name for name in scalars if name not in numbers], domains), 12):
            for above in (count, 1, 2, 0):
                values = {name: simple(domains[name])[:3] for name in families}
                members = {
                    f"{family_of(name)}[{j}]": some[0] if j <= above else some[-1]
                    for name, some in values.items()
                    for j in range(1, count + 1)
                }
                yield point | members | numbers


LARGEST_POINT = 2_000
"""The most members at whose values a comparison is evaluated."""


def _all_members(
    point: Point, chosen: Mapping[str, int], sides: tuple[Form, Form], domains: Mapping[str, Domain]
) -> Point:
    """The point with a simple value for every member and parameter that cancelled."""
    usual = {}
    for name in _letters(sides[0].names | sides[1].names):
        family = family_of(name)
        if family is None:
            usual[name] = simple(domains[name])[0]
            continue
        for size in (chosen.get(k, int(k) if k.isdigit() else 0) for k in rays.counts(sides)):
            for j in range(1, size + 1):
                usual[f"{family}[{j}]"] = simple(domains[name])[0]
    return usual | point


def usual(domains: Mapping[str, Domain]) -> Point:
    """The usual simple point: 1 for most parameters."""
    return {name: simple(domain)[0] for name, domain in sorted(domains.items())}


def points(domains: Mapping[str, Domain], most: int = 200) -> list[Point]:
    """A few simple points of the parameter space, at most so many; the first is the usual one."""
    return list(islice(_grid(sorted(domains), domains), most))


def _holds(apart: Form, point: Point) -> bool:
    """Whether a difference is >= 0 at a point, as far as it is rational there: no counterexample."""
    try:
        return apart.at(point) >= 0
    except (forms.NotAForm, formulas.FormulaError):
        return False


def _fails(greater: Form, lesser: Form, domains: Mapping[str, Domain], point: Point) -> bool:
    try:
        certificates.check_point(greater, lesser, domains, point)
    except BadCertificate:
        return False
    return True


def _why(piece: Form, domains: Mapping[str, Domain]) -> str:
    if atoms := sorted(name for name in piece.names if name not in domains):
        return f"{atoms[0]} is compared by its sign only, and that is not enough"
    if any(len(t) > 1 or any(power > 1 for _, power in t) for t, _ in piece.monomials):
        return "the comparison is not linear in the parameters, and neither a proof nor a point was found"
    if any(domains[name].integer for name in piece.names):
        return "it fails for real values of the whole-number parameters, and no whole numbers were found"
    return "the solver found neither a proof nor a point"


# points


def _letters(names: frozenset[str]) -> frozenset[str]:
    """The parameters in names, and those inside atoms."""
    inside = (formulas.names(name) if not name.isidentifier() else (name,) for name in names)
    return frozenset(letter for letters in inside for letter in letters)


def _grid(parameters: list[str], domains: Mapping[str, Domain]) -> Iterator[Point]:
    """A few simple points: all alike, one much larger or smaller than the rest, and all mixtures of a few."""
    few = {name: simple(domains[name])[:4] for name in parameters}
    if not parameters:
        yield {}
        return
    usual = {name: values[0] for name, values in few.items()}
    yield usual
    if len(parameters) <= 4:
        yield from (dict(zip(parameters, values, strict=True)) for values in product(*few.values()))
        return
    for choice in (1, 2, 3):
        other = {name: values[min(choice, len(values) - 1)] for name, values in few.items()}
        yield other
        for name in parameters[:50]:
            yield usual | {name: other[name]}
            yield other | {name: usual[name]}


def _where_large(
    difference: Form, uncovered: list[Monomial], parameters: list[str], domains: Mapping[str, Domain]
) -> Iterator[Point]:
    """Simple points where one choice of the lesser side, or what no rule covers, is large beside the rest."""
    if not uncovered:
        return
    few = {name: simple(domains[name])[:4] for name in parameters}
    small = {name: min(values) for name, values in few.items()}
    usual = {name: values[0] for name, values in few.items()}
    groups = [uncovered, *([term] for term in uncovered[:MOST_LARGE])]
    with suppress(forms.NotAForm, KeyError):
        groups.insert(0, [t for t, c in forms.piece_at(difference, usual).monomials if c < 0])
    for terms in groups:
        names = _letters(frozenset(name for term in terms for name, _ in term))
        large = {name: max(few[name]) for name in names if name in few}
        yield small | large
        yield usual | large


def _refute_any(
    difference: Form, parameters: list[str], domains: Mapping[str, Domain], solver: Solver, until: float
) -> Point | None:
    """A point where some piece of the difference is negative."""
    for piece in forms.pieces(difference, certificates.MOST_PIECES) or ():
        if time.monotonic() > until:
            return None
        if _at_once(piece, domains) is None:
            found = _refute_piece(piece, parameters, domains, solver)
            if found is not None:
                return found
    return None


def _refute_some(
    difference: Form, parameters: list[str], domains: Mapping[str, Domain], solver: Solver, until: float
) -> Point | None:
    """The same where the pieces are too many: only those that are the least ones at simple points."""
    tried = set()
    for point in islice(_grid(parameters, domains), 200):
        try:
            piece = forms.piece_at(difference, point)
        except forms.NotAForm:
            continue
        if time.monotonic() > until:
            return None
        if piece not in tried and _at_once(piece, domains) is None:
            found = _refute_piece(piece, parameters, domains, solver)
            if found is not None:
                return found
        tried.add(piece)
    return None


def _is_excluded(
    difference: Form, parameters: list[str], domains: Mapping[str, Domain], solver: Solver, until: float
) -> bool:
    """Whether the solver says of every piece that it is nowhere negative."""
    pieces = forms.pieces(difference, FEW_PIECES)
    if pieces is None or not isinstance(solver, Sure):
        return False
    return all(
        time.monotonic() < until and solver.excludes(*_negative(piece, parameters, domains))
        for piece in pieces
        if _at_once(piece, domains) is None
    )


def _negative(
    piece: Form, parameters: list[str], domains: Mapping[str, Domain]
) -> tuple[list[Constraint], frozenset[str]]:
    """What says that the piece is negative: each peak becomes a variable that is at least the peak."""
    constraints: list[Constraint] = []
    for name in parameters:
        for end in ("least", "greatest"):
            try:
                form = bound_form(name, end, domains[name])
            except BadCertificate:
                continue
            is_open = domains[name].open_least if end == "least" else domains[name].open_greatest
            constraints.append(Constraint(dict(form.monomials), ">" if is_open else ">="))
    fresh = iter(range(10**9))

    def above(form: Form) -> dict[Monomial, Fraction]:
        """A polynomial that is at least the form, with variables for its peaks: top(m, x) is the
        least m·s + Σ u_j with u_j ≥ 0 and u_j ≥ x_j − s."""
        total = dict(form.monomials)
        for peak, c in form.peaks:
            s = ((f"s {next(fresh)}", 1),)
            total[s] = total.get(s, Fraction(0)) + c * peak.m
            for inner in peak.of:
                value = above(inner)
                value[s] = value.get(s, Fraction(0)) - 1
                if peak.m == 1:
                    constraints.append(Constraint({t: -d for t, d in value.items()}, ">="))
                    continue
                u = ((f"u {next(fresh)}", 1),)
                total[u] = c
                constraints.append(Constraint({u: Fraction(1)}, ">="))
                constraints.append(Constraint({t: -d for t, d in value.items()} | {u: Fraction(1)}, ">="))
        return total

    value = above(piece)
    constraints.append(Constraint({t: -c for t, c in value.items()}, ">"))
    return constraints, frozenset(name for name in parameters if domains[name].integer)


def _refute_piece(
    piece: Form, parameters: list[str], domains: Mapping[str, Domain], solver: Solver
) -> Point | None:
    """A point where the piece is negative."""
    constraints, integers = _negative(piece, parameters, domains)
    found = solver.solve(constraints, integers)
    if found is None:
        return None
    usual = next(_grid(parameters, domains))
    return {name: found.get(name, usual[name]) for name in parameters}


# weights


def _prove_piece(piece: Form, domains: Mapping[str, Domain], solver: Solver) -> PieceProof | None:
    """Weights that show the piece ≥ 0, seen at once or found by the solver; not yet checked."""
    return _at_once(piece, domains) or _by_solver(piece, domains, solver)


def _at_once(piece: Form, domains: Mapping[str, Domain]) -> PieceProof | None:
    """Weights without the solver: by signs and shares, or by one form of each peak and coefficients."""
    return _by_shares(piece, domains) or _by_coefficients(piece, domains)


MOST_CHOICES = 100
"""How many choices of one form for each peak are tried, before the coefficients of what remains."""


def _by_coefficients(piece: Form, domains: Mapping[str, Domain]) -> PieceProof | None:
    """A product of parameters in [0, 1] stands in the piece: Bernstein coefficients of what remains
    once each maximum is replaced by one of its forms."""
    small = {name for name in piece.names & set(domains) if certificates.is_unit(domains[name])}
    for weights, rest in islice(_choices(piece), MOST_CHOICES) if small else ():
        products = (t for t, _ in rest.monomials if sum(power for _, power in t) > 1)
        unit = tuple(sorted(small & {name for t in products for name, _ in t}))
        try:
            if unit and all(
                forms.is_nonnegative(one, domains) for one in certificates.coefficients(rest, unit, domains)
            ):
                return PieceProof(weights, (), unit)
        except BadCertificate:
            continue
    return None


def _choices(form: Form) -> Iterator[tuple[tuple[Weights, ...], Form]]:
    """The form with each maximum replaced by one of what it compares, and the weights that say which."""
    if any(peak.m > 1 for peak, _ in form.peaks):
        return
    of_peaks = [
        [
            (Weights(((j, Fraction(1), inner),)), chosen.scaled(c))
            for j, one in enumerate(peak.of)
            for inner, chosen in _choices(one)
        ]
        for peak, c in form.peaks
    ]
    for some in product(*of_peaks):
        yield tuple(weights for weights, _ in some), sum((one for _, one in some), Form(form.monomials))


def _by_shares(piece: Form, domains: Mapping[str, Domain]) -> PieceProof | None:
    """Terms are non-negative by sign, or each negative one is made up for by the form of the only peak
    that has most of it, in just the share that is needed."""
    if not piece.peaks:
        return PieceProof(()) if forms.is_nonnegative(piece, domains) else None
    peak, c = piece.peaks[0]
    if len(piece.peaks) > 1 or any(inner.peaks for inner in peak.of):
        return None
    rest = Form(piece.monomials)
    weights: dict[int, Fraction] = {}
    for term, _ in piece.monomials:
        missing = -rest.coefficients.get(term, Fraction(0))
        if missing > 0:
            amount, j = max(
                ((inner.coefficients.get(term, Fraction(0)), -j) for j, inner in enumerate(peak.of))
            )
            if amount <= 0:
                return None
            share = missing / (c * amount)
            weights[-j] = weights.get(-j, Fraction(0)) + share
            rest = rest + peak.of[-j].scaled(c * share)
    spare = peak.m - sum(weights.values(), Fraction(0))
    for j, inner in enumerate(peak.of):
        if not spare:
            break
        share = min(spare, 1 - weights.get(j, Fraction(0)))
        if share > 0 and forms.is_nonnegative(inner, domains):
            weights[j] = weights.get(j, Fraction(0)) + share
            rest = rest + inner.scaled(c * share)
            spare -= share
    if spare or any(w > 1 for w in weights.values()) or not forms.is_nonnegative(rest, domains):
        return None
    return PieceProof((Weights(tuple((j, w, ()) for j, w in sorted(weights.items()))),))


def _by_solver(piece: Form, domains: Mapping[str, Domain], solver: Solver) -> PieceProof | None:
    """Weights as flows: what flows into a peak leaves it for its forms, m times as much in all."""
    constraints: list[Constraint] = []
    rest: dict[Monomial, dict[Monomial, Fraction]] = {}  # coefficient of each term, linear in the flows
    fresh = iter(range(10**9))

    def add(monomial: Monomial, flow: Monomial, c: Fraction) -> None:
        coefficient = rest.setdefault(monomial, {})
        coefficient[flow] = coefficient.get(flow, Fraction(0)) + c

    def spread(form: Form, flow: Monomial) -> list[list[tuple[str, int, list]]]:  # type: ignore[type-arg]
        for monomial, c in form.monomials:
            add(monomial, flow, c)
        tree = []
        for peak, c in form.peaks:
            leaving: dict[Monomial, Fraction] = {}
            node = []
            for j, inner in enumerate(peak.of):
                name = f"w {next(fresh)}"
                part = ((name, 1),)
                leaving[part] = Fraction(1)
                constraints.append(Constraint({part: Fraction(1)}, ">="))
                if peak.m > 1:
                    constraints.append(Constraint({flow: c, part: Fraction(-1)}, ">="))
                node.append((name, j, spread(inner, part)))
            leaving[flow] = leaving.get(flow, Fraction(0)) - c * peak.m
            constraints.append(Constraint(leaving, "="))
            tree.append(node)
        return tree

    tree = spread(piece, ONE)
    multiples = []
    for name in sorted(piece.names & set(domains)):
        for end, value in (("least", domains[name].least), ("greatest", domains[name].greatest)):
            if value is not None and not (end == "least" and value == 0):
                multiple = ((f"y {next(fresh)}", 1),)
                multiples.append((name, end, multiple[0][0]))
                constraints.append(Constraint({multiple: Fraction(1)}, ">="))
                for monomial, c in bound_form(name, end, domains[name]).monomials:
                    add(monomial, multiple, -c)
    for monomial, coefficient in rest.items():
        signed = forms.nonnegative(monomial, domains)
        constraints.append(Constraint(coefficient, ">=" if signed else "="))
    found = solver.solve(constraints)
    if found is None:
        return None
    return PieceProof(
        tuple(_weights(node, peak, found) for node, (peak, _) in zip(tree, piece.peaks, strict=True)),
        tuple((name, end, found[y]) for name, end, y in multiples if found.get(y)),
    )


def _weights(node: list, peak: Peak, found: Mapping[str, Fraction]) -> Weights:  # type: ignore[type-arg]
    """Flows as weights: each one's share of m times what flows in; where nothing does, the first m."""
    flows = [found.get(name, Fraction(0)) for name, _, _ in node]
    total = sum(flows, Fraction(0))
    shares = (
        [flow * peak.m / total for flow in flows]
        if total
        else [Fraction(int(j < peak.m)) for j in range(len(flows))]
    )
    return Weights(
        tuple(
            (
                j,
                share,
                tuple(
                    _weights(inner, p, found) for inner, (p, _) in zip(tree, peak.of[j].peaks, strict=True)
                ),
            )
            for share, (_, j, tree) in zip(shares, node, strict=True)
            if share
        )
    )
