"""Relations by counted edits: what is common to the neighbour relations that lemmas speak of.

How much two databases differ is counted: (removed, added) = (|D∖E|, |E∖D|).  A relation by edits holds where
at most `most` single edits lead from D to E inside the class.  Closed forms of metrics, and finite checks
that decide infinite classes, are about such relations; a relation of the user's is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import Counts, DatabaseClass
from dpcompose.spaces.inputs.maps import Map

Single = frozenset[Counts]
"""Single edits as counts; symmetric: a removal and an addition go together."""


@frozen
class Edits:
    """D and E are neighbours where they differ and at most `most` of the single edits lead to E.

    single -- the single edits; None: any difference at all is one edit; elsewhere -- whether databases in
    between may have any size, also one that none of the class has.

    >>> Edits(frozenset({(1, 1)}), most=2).fewest((2, 2))
    2
    """

    single: Single | None
    most: int = 1
    elsewhere: bool = False

    def within(self, databases: DatabaseClass) -> Edits:
        """The same relation by edits that lead from some database of the class to another one of it.

        On multisets of exactly n records no record is only added or only removed.

        >>> from dpcompose.spaces.classes.multisets import multisets
        >>> Edits(frozenset({(1, 0), (0, 1)})).within(multisets(size="= 3")).single
        frozenset()
        """
        if self.single is None or self.elsewhere:
            return self
        return replace(
            self, single=frozenset(numbers for numbers in self.single if databases.edit_allowed(numbers))
        )

    def of_images(self, databases: DatabaseClass, f: Map) -> Edits:
        """The push-forward of the relation along a restriction to records.

        Where a record set A is not all of X, a record that is replaced may come from outside A
        or go there: so a replacement becomes a replacement, a removal or an addition.

        >>> from dpcompose.spaces.classes.multisets import multisets
        >>> from dpcompose.spaces.inputs.restrictions import restriction
        >>> X = multisets({"a", "b"})
        >>> sorted(Edits(frozenset({(1, 1)})).of_images(X, restriction(["a"])).single)
        [(0, 1), (1, 0), (1, 1)]
        """
        inside = self.within(databases)
        if inside.single is None or f.is_identity(databases):
            return inside
        seen = {kept for numbers in inside.single for kept in product(*(range(n + 1) for n in numbers))}
        return replace(self, single=frozenset(numbers for numbers in seen if any(numbers)))

    def pass_through(self, databases: DatabaseClass) -> bool:
        """Whether groups of single edits become groups of as many of what a restriction reads: records that
        are not read fill up what the sizes ask for.  Between a least and a greatest size that may not be so.

        >>> from dpcompose.spaces.classes.multisets import multisets
        >>> three = Edits(frozenset({(1, 0), (0, 1)}), most=3)
        >>> three.pass_through(multisets("ab", "2..3")), three.pass_through(multisets("ab", "2..5"))
        (False, True)
        """
        sizes = databases.sizes
        if not sizes.between or self.most == 1 or self.single is None or sizes.n is None:
            return True
        room = (1, 1) in self.single or self.most <= sizes.n - sizes.least
        return room and databases.twice and not sizes.letters

    def fewest(self, counts: Counts) -> int | None:
        """The fewest single edits that add up to the counts; None where `most` of them do not."""
        if not any(counts):
            return 0
        if self.single is None:
            return 1
        for steps, reached in enumerate(self._layers(counts), start=1):
            if counts in reached:
                return steps
        return None

    def _layers(self, most: Counts) -> Iterator[frozenset[Counts]]:
        """What one, two, …, `most` single edits add up to and fewer do not, inside the counts."""
        assert self.single is not None
        seen = layer = frozenset({tuple(0 for _ in most)})
        for _ in range(self.most):
            sums = {
                tuple(a + b for a, b in zip(at, numbers, strict=True))
                for at in layer
                for numbers in self.single
            }
            inside = {at for at in sums if all(a <= b for a, b in zip(at, most, strict=True))}
            layer = frozenset(inside) - seen
            if not layer:
                return
            seen |= layer
            yield layer
