#!/usr/bin/env python
"""Django's command line for Muniment."""

import io
import os
import signal
import sys
from pathlib import Path

UNDEFINED = {"42P01": "table", "42703": "column"}  # SQLSTATE: what there is none of


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["DATABASE_POOL"] = "0"  # for the web alone: a command's locks and leases hang on its one connection
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line, get_commands
    from django.db import DataError, NotSupportedError, OperationalError, ProgrammingError
    from django.db.migrations.exceptions import NodeNotFoundError

    from config.local.home import disk_fault, home

    try:
        try:
            settings.DATABASES  # noqa: B018 - reads them all
            execute_from_command_line(sys.argv)
        finally:
            if not sys.stdout.closed:
                sys.stdout.flush()  # here, where it is no fault that nobody reads it
    except SystemExit as ended:
        if ended.code == 1 and sys.argv[1] not in get_commands():
            sys.exit(2)
        raise
    except ImproperlyConfigured as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"A setting cannot be used: {error}")
    except OperationalError as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"The database cannot be used: {error}")
    except NotSupportedError as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"The database cannot be used: {str(error).splitlines()[0]}; manage.py doctor says what it lacks")
    except ProgrammingError as error:
        missing = UNDEFINED.get(getattr(error.__cause__, "sqlstate", ""))
        if "--traceback" in sys.argv or not missing:
            raise
        sys.exit(f"The database lacks a {missing}: run manage.py migrate first. ({str(error).splitlines()[0]})")
    except NodeNotFoundError as error:
        if "--traceback" in sys.argv:
            raise
        to_do = "run manage.py migrate of the newest version that has it first"
        sys.exit(f"The database lacks a migration of an earlier version: {to_do}. ({error})")
    except (UnicodeEncodeError, DataError):
        odd = [argument for argument in map(os.fsencode, sys.argv) if not is_utf_8(argument)]
        if "--traceback" in sys.argv or not odd:
            raise
        print(f"An argument is not UTF-8: {odd[0].decode(errors='backslashreplace')}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # whoever reads the output, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
    except KeyboardInterrupt as error:
        print(str(error) or "interrupted", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)
    except OSError as error:
        if "--traceback" in sys.argv or not (fault := output_fault() or disk_fault(error)):
            raise
        elsewhere = error.filename and not Path(os.fsdecode(error.filename)).is_relative_to(home())
        sys.exit(f"The disk cannot be written to: {error.strerror}: {error.filename}" if elsewhere else fault)


def output_fault() -> str:
    """Why nothing more can be written on stdout, which is left then; empty where it can."""
    try:
        sys.stdout.flush()
        os.write(sys.stdout.fileno(), b"")  # of what was too much for the buffer nothing is left to flush
    except io.UnsupportedOperation:  # no file
        return ""
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return f"The output cannot be written: {error.strerror}."
    return ""


def is_utf_8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


if __name__ == "__main__":
    main()
