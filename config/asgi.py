"""For ASGI servers. Streamed answers are synchronous and would arrive all at once here: prefer `config.wsgi`."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_asgi_application()
