"""The command, as `python -m dpcompose`."""

import sys

from dpcompose.front.cli import main

sys.exit(main())
