# syntax=docker/dockerfile:1
# Needs no network at run time and runs as an ordinary user on a read-only root:
#   docker build -t tilewise .
#   docker run -p 8501:8501 tilewise
# docs/operations.md has the settings, and the stricter command for production.
ARG PYTHON_IMAGE=python:3.12-slim

FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python3 -m venv /opt/venv
COPY requirements.lock ./
# Wheels only, each with a known hash: nothing is compiled, and no package's code runs while it is installed.
RUN /opt/venv/bin/python -m pip install --require-hashes --only-binary :all: -r requirements.lock \
 && /opt/venv/bin/python -m pip uninstall --yes --quiet pip setuptools
COPY . /app
# The code stays root's, so compile it here. By hash, because a copy may change the files' times.
RUN /opt/venv/bin/python -m compileall -q --invalidation-mode unchecked-hash /app \
 && mkdir /data

FROM ${PYTHON_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Tilewise" \
      org.opencontainers.image.description="A lesson on IO-aware attention and online softmax" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV PATH=/opt/venv/bin:$PATH \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    TILEWISE_DATA=/data \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_PORT=8501
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
# The only folder that the app may write to. An engine gives a new volume this owner too.
COPY --from=build --chown=10001:10001 /data /data
WORKDIR /app
# A number, so that an orchestrator can see that it is not root.
USER 10001:10001
VOLUME ["/data"]
EXPOSE 8501
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 CMD ["python3", "deploy/health.py"]
CMD ["python3", "deploy/serve.py"]
