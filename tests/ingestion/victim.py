"""A worker's process for tests that kill it: `python -m tests.ingestion.victim JOB`, where `FAILPOINTS` says."""

import sys

import django

if __name__ == "__main__":
    django.setup()
    from django.conf import settings

    settings.DEBUG = False  # it only let FAILPOINTS in; it would keep every statement
    from ingestion.jobs import run

    run(int(sys.argv[1]))
