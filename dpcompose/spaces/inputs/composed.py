"""Maps of what maps read: g∘f."""

from __future__ import annotations

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.inputs.maps import Map, Signs


@frozen(repr=False)
class Composed(Map):
    """g∘f: D ↦ g(f(D)).  `composed` makes it, and joins restrictions into one."""

    unsaid = True

    outer: Map
    inner: Map

    def __call__(self, D: Database) -> Database:
        return self.outer(self.inner(D))

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        return self.outer.image(self.inner.image(databases))

    def on(self, databases: DatabaseClass) -> Map:
        inner = self.inner.on(databases)
        outer = self.outer.on(inner.image(databases))
        return self if (inner, outer) == (self.inner, self.outer) else composed(outer, inner)

    def shown(self, D: str, signs: Signs) -> str:
        return self.outer.shown(self.inner.shown(D, signs), signs)

    @property
    def read_through(self) -> frozenset[str]:
        return self.inner.inside

    def is_identity(self, databases: DatabaseClass) -> bool:
        return self.inner.is_identity(databases) and self.outer.is_identity(databases)

    def neighbours_for(self, granularity: str) -> frozenset[tuple[Database, Database]] | None:
        return self.outer.neighbours_for(granularity)


def composed(outer: Map, inner: Map) -> Map:
    """g∘f: the map that reads g of what f reads (GB Prop. III.8); g is the first.

    Restrictions join: (D|B)|A = D|(A∩B), so that lemmas about restrictions apply to them.

    outer -- g; inner -- f.  Raises TypeError for what is no map.

    >>> from dpcompose.spaces.inputs.restrictions import restriction
    >>> composed(restriction(["a", "c"]), restriction(["a", "b"]))
    the map of D to D|{a}
    """
    for f in (outer, inner):
        if not isinstance(f, Map):
            raise TypeError(f"a map such as dpcompose.restriction([...]) is composed, not {f!r}")
    if outer.is_everything or inner.is_everything:
        return inner if outer.is_everything else outer
    return outer.joined_to(inner) or Composed(outer, inner)
