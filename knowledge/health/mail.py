"""The mail server: whether it lets us in. Nothing is sent."""

from django.conf import settings
from django.core.mail import get_connection

from .examination import Examination, State

PATIENCE_SECONDS = 10
TO_DO = "look at that server and at EMAIL_URL; till then no letters come; manage.py sendtestemail ADDRESS sends one"


def examine_mail() -> Examination:
    if not settings.EMAIL_CONFIGURED:
        return Examination("e-mail", State.OFF, "EMAIL_URL is not set: no letters are sent")
    server = get_connection(timeout=min(PATIENCE_SECONDS, settings.EMAIL_TIMEOUT))
    try:
        server.open()
        server.close()
    except UnicodeError:  # whose text has a part of the password
        return Examination("e-mail", State.DEGRADED, "its user or password is not ASCII", TO_DO)
    except OSError as error:  # those of smtplib, too
        return Examination("e-mail", State.DEGRADED, f"it cannot be used: {error}", TO_DO)
    host = getattr(server, "host", "")
    return Examination("e-mail", State.OK, f"{host} lets us in" if host else "no mail server is needed")
