#!/usr/bin/env python
"""Django's command line for Muniment."""

import errno
import os
import signal
import sys

UNDEFINED_TABLE = "42P01"
DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}


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
    except BrokenPipeError:  # whoever reads the output, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except OSError as error:
        if "--traceback" in sys.argv or error.errno not in DISK:
            raise
        sys.exit(f"The disk cannot be written to: {error.strerror}: {error.filename or 'no file is named'}")


if __name__ == "__main__":
    main()
