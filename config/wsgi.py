"""For gunicorn, gthread workers: synchronous views answer about twice the requests of an ASGI server here.

Many threads, for an answer that streams keeps one; few database connections, for it holds none meanwhile.
"""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.chunked import with_length
from config.head import without_body
from config.metrics import share
from config.unread import told_to_close

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ["DATABASE_POOL"] = os.environ.get("DATABASE_POOL", "").strip() or "24"
share()
application = without_body(told_to_close(with_length(get_wsgi_application(), settings.DATA_UPLOAD_MAX_MEMORY_SIZE)))
