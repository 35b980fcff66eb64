"""Audits in the user's hands: a theorem page, and the smallest settings found in which it fails."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language.shown import Shown
from dpcompose.proof.theory.registry import Page, Theory
from dpcompose.search.audits import audits
from dpcompose.search.audits.audits import Answer

if TYPE_CHECKING:
    from dpcompose.search.audits.searched import Looked


@frozen(repr=False)
class Audit(Shown):
    """What the search for counterexamples to a page ended in: as it stands, and without each supposition.

    answers -- one for each notion and each thing that is left out; complete -- whether the search came to
    its end.  A page without a counterexample is not true by that: it says how much was searched.
    """

    page: Page
    answers: tuple[Answer, ...]
    complete: bool = True

    @property
    def refuted(self) -> tuple[Answer, ...]:
        """The counterexamples in which all that the page supposes holds."""
        return tuple(answer for answer in self.answers if answer.found is not None and answer.without is None)

    @property
    def needed(self) -> tuple[str, ...]:
        """What is supposed and cannot be left out, in words."""
        suppositions = [answer.without for answer in self.answers if answer.found is not None]
        return tuple(
            dict.fromkeys(supposition.words for supposition in suppositions if supposition is not None)
        )

    def save(self, folder: str | Path) -> list[Path]:
        """Writes the counterexamples as problem files, which `dpcompose verify` refutes; their paths.

        Of mechanisms that are not independent there is a file in pure privacy only: of the table of all they
        say nothing else is known.
        """
        from dpcompose.front.printers import audited

        paths = []
        for answer in self.answers:
            if (text := audited.file_text(answer)) is not None:
                path = Path(folder) / audited.file_name(answer)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                paths.append(path)
        return paths

    def __repr__(self) -> str:
        said = "false" if self.refuted else "no counterexample was found"
        left = "" if self.complete else "; interrupted: the rest was not searched"
        return f"{self.page.id}: {said}; needed: {', '.join(map(repr, self.needed)) or 'nothing'}{left}"

    def __str__(self) -> str:
        from dpcompose.front.printers import audited

        rows, notion = [f"{self.page.id}: {self.page.title}"], ""
        for answer in self.answers:
            rows += [answer.statement.notion] if answer.statement.notion != notion else []
            notion = answer.statement.notion
            rows += audited.lines(answer)
        return "\n".join([*rows, *(() if self.complete else ("interrupted: the rest was not searched",))])


def audit(
    theory: Theory,
    page: Page,
    most: int,
    notions: Collection[str],
    told: Callable[[Looked], None] | None = None,
) -> Audit:
    """The audit of a page; told -- is called as one goes.  An interrupt keeps what was found."""
    answers: list[Answer] = []
    try:
        answers.extend(audits.answers(theory, page, most, notions, told))
    except KeyboardInterrupt:
        return Audit(page, tuple(answers), False)
    return Audit(page, tuple(answers))
