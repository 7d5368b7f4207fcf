#!/usr/bin/env python
"""Django's command line for Muniment."""

import os
import sys

UNDEFINED_TABLE = "42P01"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line
    from django.db import OperationalError, ProgrammingError

    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"The database cannot be used: {error}")
    except ProgrammingError as error:
        if "--traceback" in sys.argv or getattr(error.__cause__, "sqlstate", "") != UNDEFINED_TABLE:
            raise
        sys.exit(f"The database lacks a table: run manage.py migrate first. ({str(error).splitlines()[0]})")


if __name__ == "__main__":
    main()
