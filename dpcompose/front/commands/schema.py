"""dpcompose schema: the JSON schema of problem files."""

from __future__ import annotations

import argparse
import json

from dpcompose.front.commands.running import FINE, Commands, command


def add(commands: Commands) -> None:
    """Its options."""
    command(
        commands,
        "schema",
        run,
        "print the JSON schema of problem files, for editors",
        "An editor that knows TOML checks and completes a problem file with it.",
        as_json=False,
    )


def run(given: argparse.Namespace) -> int:
    from dpcompose.front import files

    print(json.dumps(files.json_schema(), indent=2))
    return FINE
