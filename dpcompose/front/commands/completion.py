"""dpcompose completion: what a shell runs to complete commands, options and what these take."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping

from dpcompose.front.commands.running import FINE, Commands, command
from dpcompose.kernel.expressions.keeping import frozen


def add(commands: Commands) -> None:
    """Its options."""
    made = command(
        commands,
        "completion",
        lambda given: _run(given, commands.choices),
        "print what makes a shell complete commands and options",
        'bash: eval "$(dpcompose completion bash)" in ~/.bashrc; zsh: the same with zsh in ~/.zshrc, after '
        "compinit; fish: dpcompose completion fish > ~/.config/fish/completions/dpcompose.fish.",
        as_json=False,
    )
    made.add_argument("shell", choices=SHELLS, help="for which shell")


@frozen
class Option:
    """An option of a command: how it is written, what it is for, and what it takes."""

    names: tuple[str, ...]
    words: str
    values: tuple[str, ...]
    takes: bool


@frozen
class Described:
    """A command: what it does, its options, and the words that stand without one, or files."""

    name: str
    words: str
    options: tuple[Option, ...]
    values: tuple[str, ...]

    @property
    def flags(self) -> list[str]:
        """All ways to write its options."""
        return [name for option in self.options for name in option.names]


def _run(given: argparse.Namespace, parsers: Mapping[str, argparse.ArgumentParser]) -> int:
    """Prints the script."""
    print("\n".join(SHELLS[given.shell]([_described(name, parser) for name, parser in parsers.items()])))
    return FINE


def _described(name: str, parser: argparse.ArgumentParser) -> Described:
    """A command by its parser."""
    options, values = [], list[str](WORDS.get(name, tuple)())
    for action in parser._actions:
        said = tuple(map(str, action.choices or ()))
        if action.option_strings:
            words = " ".join((action.help or "").replace("%%", "%").split())
            options.append(Option(tuple(action.option_strings), words, said, action.nargs != 0))
        else:
            values += said
    return Described(name, (parser.description or "").removesuffix("."), tuple(options), tuple(values))


def _explained() -> list[str]:
    from dpcompose.front.documents import glossary
    from dpcompose.spaces.moves.built_in import BUILT_IN

    return sorted(word for word in {*glossary.words(), *BUILT_IN} if " " not in word)


def _pages() -> list[str]:
    from dpcompose.proof.theory import registry

    return sorted(registry.standard().pages)


def _granularities() -> list[str]:
    from dpcompose.spaces.moves.built_in import BUILT_IN

    return sorted(BUILT_IN)


WORDS: Mapping[str, Callable[[], Iterable[str]]] = {
    "explain": _explained,
    "theorems": _pages,
    "audit": _pages,
    "compare": _granularities,
}
"""What stands after a command that takes no files; all others take these, and what their parsers list."""


def bash(commands: Iterable[Described]) -> Iterator[str]:
    """The script for bash: the word after the command, its options and their values, else files."""
    known = list(commands)
    yield "_dpcompose() {"
    yield '  local cur="${COMP_WORDS[COMP_CWORD]}" words=""'
    yield '  case "${COMP_CWORD}:${COMP_WORDS[1]}:${COMP_WORDS[COMP_CWORD-1]}" in'
    yield f'    1:*) words="{" ".join(described.name for described in known)} --help --version" ;;'
    for described in known:
        for option in described.options:
            if option.takes:
                where = "|".join(f"*:{described.name}:{name}" for name in option.names)
                yield f'    {where}) words="{" ".join(option.values)}" ;;'
        yield f"    *:{described.name}:*)"
        yield f'      if [[ "$cur" == -* ]]; then words="{" ".join(described.flags)}"'
        yield f'      else words="{" ".join(described.values)}"; fi ;;'
    yield "  esac"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$cur"))'
    yield "}"
    yield "complete -o default -F _dpcompose dpcompose"


def zsh(commands: Iterable[Described]) -> Iterator[str]:
    """The script for zsh, which runs that for bash."""
    yield "autoload -U +X bashcompinit && bashcompinit"
    yield from bash(commands)


def fish(commands: Iterable[Described]) -> Iterator[str]:
    """The script for fish, with what commands and options are for."""
    for described in commands:
        words = _quoted(described.words)
        yield f"complete -c dpcompose -n __fish_use_subcommand -f -a {described.name} -d {words}"
        here = f"complete -c dpcompose -n '__fish_seen_subcommand_from {described.name}'"
        if described.values:
            yield f"{here} -f -a {_quoted(' '.join(described.values))}"
        for option in described.options:
            names = " ".join(f"-l {x[2:]}" if x.startswith("--") else f"-s {x[1:]}" for x in option.names)
            takes = " -r" if option.takes else ""
            values = f" -f -a {_quoted(' '.join(option.values))}" if option.values else ""
            yield f"{here} {names}{takes}{values} -d {_quoted(option.words)}"


def _quoted(text: str) -> str:
    """A text in single quotes, for fish."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


SHELLS: Mapping[str, Callable[[Iterable[Described]], Iterator[str]]] = {
    "bash": bash,
    "zsh": zsh,
    "fish": fish,
}
"""By the name of a shell what writes its script."""
