"""An explorer for notebooks: records are moved between parts, neighbours switched, and what follows is shown.

The values are those of any study; what is asked of anywidget and ipywidgets is only to show and to move.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dpcompose.front.drawings import pictures
from dpcompose.front.studies import composing
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.privacy.guarantees import notions
from dpcompose.privacy.mechanisms import statements
from dpcompose.spaces.classes import multisets
from dpcompose.spaces.inputs import restrictions

HERE = Path(__file__).parent
NO_IPYWIDGETS = "the explorer needs ipywidgets: pip install 'dpcompose[notebook]'"
NOBODY = 0
"""The part that no mechanism reads."""

NEIGHBOURS = ("unbounded", "bounded", "free-lunch")


@frozen
class Exploration:
    """What is explored: for each record the number of the mechanism that reads it, 0 for none.

    neighbours -- a granularity by its name, of the target and of the guarantees, which are e1-DP, e2-DP, …;
    claim -- an epsilon that is claimed; mechanisms -- how many there are (who reads nothing loses nothing).

    >>> two = Exploration(dict(a=1, b=2), "bounded")
    >>> two.study().guarantee(), two.study().check(two.claim).verdict
    (bounded (e1 + e2)-DP, by GB:IV.13; optimal, 'refuted')
    >>> two.moved("b", 1).study().guarantee()
    bounded e1-DP, by GB:IV.11; optimal
    """

    parts: Mapping[str, int]
    neighbours: str = "unbounded"
    claim: str = "max(e1, e2)"
    mechanisms: int = 2

    def moved(self, record: str, part: int) -> Exploration:
        """The same with a record in another part."""
        return replace(self, parts=MappingProxyType({**self.parts, record: part}))

    def study(self) -> Study:
        """The composition."""
        mechanisms = [
            statements.mechanism(
                f"M{n}",
                notions.pure(f"e{n}", self.neighbours, "common"),
                reads=restrictions.restriction([record for record, part in self.parts.items() if part == n]),
            )
            for n in range(1, self.mechanisms + 1)
        ]
        return composing.compose(
            *mechanisms, on=multisets.multisets(list(self.parts)), target=self.neighbours
        )

    def html(self) -> str:
        """The guarantee, how far neighbours move the inputs, the verdict on the claim, and the picture."""
        from dpcompose.front.printers import display
        from dpcompose.language.latex import text_html

        if not {*self.parts.values()} - {NOBODY}:
            return "<p>No mechanism reads anything: nothing is lost.</p>"
        study, answer = self.study(), None
        try:
            answer = study.check(self.claim)
            told = display.verdict_html(answer)
        except ValueError as error:  # no formula, or in parameters that are not there
            told = f"<p>{text_html(error)}</p>"
        shape = (step for step in study.derivation() if step.page and step.page.head.kind == "procedure")
        profile = "".join(step.words for step in shape)
        picture = pictures.draw(study, highlight=answer)
        return f"{display.guarantee_html(study.bound)}<p>{text_html(profile)}</p>{told}{picture.svg}"


def explorer(records: Iterable[str] = "abc", mechanisms: int = 2, neighbours: str = "unbounded") -> Any:
    """A widget in which records are dragged between mechanisms, and what follows changes with them.

    records -- their names, at most six; mechanisms -- how many there are; neighbours -- at first, one of
    unbounded, bounded and free-lunch.  Where anywidget is not installed, buttons move the records.
    Raises ImportError where ipywidgets is not installed.

    >>> explorer("abc", 2, "bounded")  # doctest: +SKIP
    """
    try:
        import ipywidgets
    except ImportError:
        raise ImportError(NO_IPYWIDGETS) from None

    names = list(dict.fromkeys(records))
    if not 1 <= len(names) <= 6:
        raise ValueError(f"one to six records can be explored, not {len(names)}")
    read_by = {record: n % mechanisms + 1 for n, record in enumerate(names)}
    parts = ["nobody", *(f"M{n}" for n in range(1, mechanisms + 1))]
    claim = f"max({', '.join(f'e{n}' for n in range(1, mechanisms + 1))})"
    try:
        records_in_parts = board(read_by, parts)
    except ImportError:
        records_in_parts = buttons(read_by, parts)
    between = ipywidgets.Dropdown(options=NEIGHBOURS, value=neighbours, description="neighbours")
    claimed = ipywidgets.Text(value=claim, description="claim", continuous_update=False)
    shown = ipywidgets.HTMLMath()

    def show(_: object = None) -> None:
        shown.value = Exploration(records_in_parts.parts, between.value, claimed.value, mechanisms).html()

    records_in_parts.observe(show, names="parts")
    for control in (between, claimed):
        control.observe(show, names="value")
    show()
    return ipywidgets.VBox([records_in_parts, between, claimed, shown])


def board(parts: Mapping[str, int], names: Sequence[str]) -> Any:
    """A widget on which records are dragged from part to part: `parts` has the number of each record's.

    Raises ImportError where anywidget is not installed.
    """
    import traitlets
    from anywidget import AnyWidget

    from dpcompose.front.printers.display import LOOKS

    class Board(AnyWidget):
        _esm = HERE / "board.js"
        _css = HERE / "board.css"
        parts = traitlets.Dict().tag(sync=True)
        names: Any = traitlets.List().tag(sync=True)
        looks: Any = traitlets.List().tag(sync=True)

    looks = ["", *(LOOKS[n % len(LOOKS)] for n in range(len(names) - 1))]
    return Board(parts=dict(parts), names=list(names), looks=looks)


def buttons(parts: Mapping[str, int], names: Sequence[str]) -> Any:
    """The same with a row of buttons for each record."""
    import ipywidgets
    import traitlets

    class Buttons(ipywidgets.VBox):
        parts = traitlets.Dict()

    rows = {
        record: ipywidgets.ToggleButtons(
            options=[(name, n) for n, name in enumerate(names)],
            value=part,
            description=record,
            style={"button_width": "5em"},
        )
        for record, part in parts.items()
    }
    found = Buttons(list(rows.values()), parts=dict(parts))

    def moved(_: object) -> None:
        found.parts = {record: row.value for record, row in rows.items()}

    for row in rows.values():
        row.observe(moved, names="value")
    return found
