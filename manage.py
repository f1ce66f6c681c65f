#!/usr/bin/env python
"""The project's command line."""

from __future__ import annotations

import sys

from sessions_ui.startup import run_command

if __name__ == "__main__":
    run_command(sys.argv)
