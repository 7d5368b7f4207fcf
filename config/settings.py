"""Every setting of Muniment, in one place.

The environment says *where* things are (see `.env.example`); database rows say *what was decided*.
An unset `DATABASE_URL` means the embedded Postgres, an unset embedding URL the embedded model server.
"""

import os
from pathlib import Path
from typing import Any

from config.environment import Env
from config.local.home import home, secret_key
from config.logs import TELLTALES, discreet

BASE_DIR = Path(__file__).resolve().parent.parent
# One search is too small to share out: with two threads for each, hybrid search took twice as long on two busy cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

env = Env()  # config.local.home has read .env

HOME = home()
DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.secret("SECRET_KEY") or secret_key()
ALLOWED_HOSTS = [*env.hosts("ALLOWED_HOSTS"), "localhost", "127.0.0.1", "[::1]"]  # health checks come so
CSRF_TRUSTED_ORIGINS = env.origins("CSRF_TRUSTED_ORIGINS")
FORWARDED_ALLOW_IPS = env.networks(  # gunicorn's name and default
    "FORWARDED_ALLOW_IPS", default=["127.0.0.1", "::1"], as_gunicorn=True
)

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "template_partials",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_q",
    "knowledge",
    "ingestion",
    "retrieval",
]

MIDDLEWARE = [
    "config.proxies.ForwardedFor",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "knowledge.http.compression.CompressedPages",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "knowledge.governance.audit.Actor",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "knowledge.pages.common.OtherMethods",
    "knowledge.pages.common.SignedOut",
    "knowledge.http.unavailable.Unavailable",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "knowledge.pages.common.menu",
            ],
        },
    },
]

# --- database -------------------------------------------------------------------------------------
# The embedded server is started (and, after a crash, restarted) by the backend when a connection is first needed.
EMBEDDED_DATABASE = not env.str("DATABASE_URL", default="")
EMBEDDED: dict[str, Any] = {"ENGINE": "config.local.backend", "NAME": "muniment"}
DATABASES = {"default": EMBEDDED if EMBEDDED_DATABASE else env.postgres("DATABASE_URL")}
DATABASES["default"].update(CONN_MAX_AGE=600, CONN_HEALTH_CHECKS=True)
# Only what asks for it is prepared (retrieval.view.rows), and planned once: planning took longer than the reading.
# Of a machine that vanished Postgres hears nothing more: after a minute it closes the connection, and frees its locks.
SESSION = {
    "plan_cache_mode": "force_generic_plan",
    "tcp_keepalives_idle": 30,
    "tcp_keepalives_interval": 10,
    "tcp_keepalives_count": 3,
}
database: dict[str, Any] = DATABASES["default"]
database["OPTIONS"] = {
    "prepare_threshold": 10**9,
    "options": " ".join(f"-c {name}={value}" for name, value in SESSION.items()),
    **database.get("OPTIONS", {}),
}
# The web server's threads share that many connections; other processes have one each, kept between uses.
if DATABASE_POOL := env.count("DATABASE_POOL", default=0):
    database["OPTIONS"]["pool"] = {"min_size": min(2, DATABASE_POOL), "max_size": DATABASE_POOL, "timeout": 20}
    database["CONN_MAX_AGE"] = 0
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- model endpoints ------------------------------------------------------------------------------
OPENAI_API_KEY = env.str("OPENAI_API_KEY", default="")
ENDPOINTS = {
    role: {"url": env.address(f"{prefix}_URL"), "model": env.str(f"{prefix}_MODEL", default="")}
    for role, prefix in {
        "embedding": "EMBEDDING",
        "chat": "CHAT",
        "summary": "SUMMARY",
        "rerank": "RERANK",
        "reader": "READER",
        "code_embedding": "CODE_EMBEDDING",
        "judge": "JUDGE",
    }.items()
}
EMBEDDED_ENDPOINTS = "config.local.models.ensure"  # role -> (url, key, model), for roles without a URL
EMBEDDED_OFFERS = "config.local.models.offers"  # role -> whether there is such a server
EMBEDDING_QUERY_PREFIX = env.str("EMBEDDING_QUERY_PREFIX", default="")
EMBEDDING_DOCUMENT_PREFIX = env.str("EMBEDDING_DOCUMENT_PREFIX", default="")
CHAT_THINKING = env.count("CHAT_THINKING", default=0)  # tokens
AI_TEST_MODE = env.bool("AI_TEST_MODE", default=False)
AI_OFFLINE_FALLBACK = env.bool("AI_OFFLINE_FALLBACK", default=True)
FAILPOINTS = env.str("FAILPOINTS", default="")  # refused without AI_TEST_MODE or DEBUG

# --- sources --------------------------------------------------------------------------------------
DIRECTORY_ROOTS = [BASE_DIR / root for root in env.names("DIRECTORY_ROOTS", default=[str(BASE_DIR / "sample")])]
GIT_ALLOWED_SCHEMES = env.schemes(
    "GIT_ALLOWED_SCHEMES", default=["https", "ssh"], known=["https", "ssh", "http", "git", "file"]
)
GIT_ALLOWED_NETWORKS = env.networks("GIT_ALLOWED_NETWORKS")
GIT_MAX_PACK_MB = env.count("GIT_MAX_PACK_MB", default=2048, least=1)
CREDENTIALS_KEY = env.keys("CREDENTIALS_KEY")
UPLOAD_MAX_MB = env.count("UPLOAD_MAX_MB", default=500, least=1)  # of one request, and of what its archives unpack to
DATA_UPLOAD_MAX_NUMBER_FILES = 2000  # of one request; a zip may hold more

OCR_LANGUAGES = env.str("OCR_LANGUAGES", default="")  # of text recognition, as `tesseract -l` takes them; empty: off

# --- search ---------------------------------------------------------------------------------------
HNSW_EF_SEARCH = env.count("HNSW_EF_SEARCH", default=100, least=1)
SEARCH_MEMORY_MB = env.count("SEARCH_MEMORY_MB", default=1024)  # vectors that a process keeps or has mapped
SEARCH_POSTINGS_MB = env.count("SEARCH_POSTINGS_MB", default=128)  # where words stand, as a process remembers it
SEARCH_RESULTS_MB = env.count("SEARCH_RESULTS_MB", default=16)  # results that a process remembers
SEARCH_STATEMENT_TIMEOUT_MS = env.count("SEARCH_STATEMENT_TIMEOUT_MS", default=5000)

# --- answers --------------------------------------------------------------------------------------
ASK_AT_ONCE = env.count("ASK_AT_ONCE", default=3, least=1)  # answers that are written for one reader at the same time
ASK_PER_MINUTE = env.count("ASK_PER_MINUTE", default=30, least=1)  # questions of one reader
ASK_STREAMS = env.count("ASK_STREAMS", default=112)  # that a web process streams at once; fewer than its threads

# --- queue: the job row is the truth, django-q2 only rings the bell (docs/jobs.md) --------------------
Q_CLUSTER = {
    "name": "muniment",
    "orm": "default",
    "workers": 2,
    "queue_limit": 1,
    "bulk": 1,
    "timeout": 900,
    "retry": 1900,
    "max_attempts": 1,
    "ack_failures": True,
    "recycle": 20,
    "catch_up": False,
    "label": "Queue",
}

# --- mail: without EMAIL_URL none is sent -------------------------------------------------------------
EMAIL_CONFIGURED = bool(env.str("EMAIL_URL", default=""))
if EMAIL_CONFIGURED:
    vars().update(env.mail("EMAIL_URL"))
EMAIL_TIMEOUT = env.count("EMAIL_TIMEOUT", default=120, least=1)  # seconds; a slow server would get letters twice
DEFAULT_FROM_EMAIL = env.str("EMAIL_FROM", default="muniment@localhost")
SITE_URL = env.address("SITE_URL", "https://HOST")  # what letters link to

# --- web ------------------------------------------------------------------------------------------
FILE_UPLOAD_HANDLERS = [
    "knowledge.http.bodies.SmallFormHandler"
]  # for all but uploads, which have a receiver of their own
FILE_UPLOAD_MAX_MEMORY_SIZE = 2_621_440  # bytes, as of all other fields; golden questions: knowledge.admin.evaluation
LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = "config.formats"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
STATIC_ROOT = HOME / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
    if not DEBUG
    else {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
CSRF_FAILURE_VIEW = "knowledge.pages.common.form_refused"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "search"
LOGOUT_REDIRECT_URL = "search"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# Failed log-ins, of each process by itself: many more than Django's 300, which a guesser would soon push out.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 10_000}},
}

# --- single sign-on: without OIDC_ISSUER there is none ----------------------------------------------
SIGN_ALGORITHMS = [f"{kind}{bits}" for kind in ("RS", "ES", "HS") for bits in (256, 384, 512)]
OIDC_ISSUER = env.address("OIDC_ISSUER", "https://HOST/PATH")
OIDC_RP_CLIENT_ID = env.str("OIDC_CLIENT_ID", default="")
OIDC_RP_CLIENT_SECRET = env.str("OIDC_CLIENT_SECRET", default="")
OIDC_RP_SIGN_ALGO = env.one_of("OIDC_SIGN_ALGORITHM", "RS256", SIGN_ALGORITHMS)
OIDC_RP_SCOPES = "openid profile email"
OIDC_USE_PKCE = True
OIDC_TIMEOUT = 10  # seconds
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
if OIDC_ISSUER:
    AUTHENTICATION_BACKENDS.append("knowledge.accounts.sign_on.SingleSignOn")

# --- what browsers are told --------------------------------------------------------------------------
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.bool("HTTPS_ONLY", default=False)
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

# --- REST -------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "knowledge.rest.schema.RefusingSchema",
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "knowledge.rest.authentication.BearerToken",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PARSER_CLASSES": [
        "knowledge.rest.parsers.ShallowJSONParser",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",  # of the size of a form: knowledge.http.bodies
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],  # access is decided per library
    "DEFAULT_PAGINATION_CLASS": "knowledge.rest.paging.Pages",
    "EXCEPTION_HANDLER": "knowledge.rest.errors.answered",
    "ALLOWED_VERSIONS": ["1"],  # what else `?version=` says is not repeated
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Muniment",
    "DESCRIPTION": "Search and cited answers over an organisation's own documents.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {
        "JobState": "knowledge.models.Job.State",
        "SnapshotState": "knowledge.models.Snapshot.State",
        "DecisionVerdict": "knowledge.models.Decision.Verdict",
        "DocumentState": "knowledge.models.DocumentFile.State",
    },
}

# --- watching ---------------------------------------------------------------------------------------
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")  # lets whoever sends it read /metrics

LOG_LEVEL = env.level("LOG_LEVEL", default="WARNING")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "filters": {"refusals": {"()": "config.logs.ShortRefusals"}, "paths": {"()": "config.logs.MaskedPaths"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain", "filters": ["refusals", "paths"]}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {name: {"level": discreet(LOG_LEVEL)} for name in TELLTALES},
}
