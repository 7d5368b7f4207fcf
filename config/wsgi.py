"""For gunicorn, gthread workers: synchronous views answer about twice the requests of an ASGI server here."""

import os

from django.core.wsgi import get_wsgi_application

from config.metrics import share

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
share()
application = get_wsgi_application()
