# Holdsfor with all that it needs, Java included:
#     docker build -t holdsfor .
#     docker run --rm -v "$PWD:/data" holdsfor run rules.ec --events events.csv --mapping mapping.toml --out found
# tests/cli/test_install.py runs these steps in a bare environment.

FROM python:3.11-slim AS build
WORKDIR /source
COPY pyproject.toml setup.py README.md LICENSE ./
COPY holdsfor holdsfor
COPY examples examples
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir dist .

FROM python:3.11-slim
COPY --from=build /source/dist /dist
RUN python -m pip install --no-cache-dir /dist/*.whl
# Compiled kernels and the bundled Java are kept here: mount a volume to keep them longer than the container.
ENV XDG_CACHE_HOME=/cache NUMBA_CACHE_DIR=/cache/numba
RUN useradd --create-home holdsfor && mkdir /cache /data && chown holdsfor /cache /data
USER holdsfor
WORKDIR /data
ENTRYPOINT ["holdsfor"]
CMD ["--help"]
