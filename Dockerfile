# The image: pennyworth and what it is linked with, on Debian. deploy/README.md says how to run it.
#
#   docker build -t pennyworth --build-arg COMMIT=$(git rev-parse --short=12 HEAD) .
#
# From the same sources, packages and SOURCE_DATE_EPOCH come the same layers, where the builder sets
# their times too (buildah and podman: --timestamp).
ARG BASE=docker.io/library/debian:trixie-slim

FROM ${BASE} AS build
WORKDIR /src
# What is needed to build is written down once, for ./run, ./test and here.
COPY cmake/prepare.sh cmake/
RUN set -eu; . cmake/prepare.sh; install_packages $BUILD_PACKAGES ca-certificates
COPY . .
ARG COMMIT=unknown
RUN cmake --preset release "-DPENNYWORTH_COMMIT=$COMMIT" && cmake --build --preset release
RUN ctest --test-dir build/release -L fast -j "$(nproc)" --output-on-failure --no-tests=error
ARG SOURCE_DATE_EPOCH=0
# The packages that the programs were linked with here, in these versions, are what the image gets.
# Of ca-certificates it gets the bundle: the package brings tools that make it, 2.5 MB of them. What
# runs may load before their engine was not linked, and comes in the base's version; but not LLVM's
# OpenMP, whose package brings 160 MB of LLVM.
RUN set -eu; export SOURCE_DATE_EPOCH; \
    DESTDIR=/out cmake --install build/release --prefix /usr --strip; \
    cmake/sbom.sh --packages /out/usr/bin/pennyworth /out/usr/bin/pennyworth-worker \
        >/runtime-packages; \
    . cmake/prepare.sh; \
    for pair in $PRELOAD_PACKAGES; do echo "${pair%%:*}"; done | grep -v '^libomp5$' \
        >>/runtime-packages; \
    install -D -m 0644 /etc/ssl/certs/ca-certificates.crt -t /out/etc/ssl/certs

FROM ${BASE}
COPY --from=build /runtime-packages /tmp/
# Nothing stays that tells when this was done: lists, logs, caches, copies of what was before. Nor
# what only those need who build packages: the symbols of libraries.
RUN set -eu; export DEBIAN_FRONTEND=noninteractive; \
    apt-get update; \
    apt-get install -y --no-install-recommends $(cat /tmp/runtime-packages); \
    apt-get clean; \
    rm -rf /tmp/runtime-packages /var/lib/apt/lists/* /var/lib/dpkg/*-old /var/cache/debconf/*-old \
        /var/cache/ldconfig/aux-cache /var/log/apt /var/log/dpkg.log /var/log/alternatives.log \
        /var/lib/dpkg/info/*.symbols; \
    echo 'pennyworth:x:10001:10001:pennyworth:/data:/usr/sbin/nologin' >>/etc/passwd; \
    echo 'pennyworth:x:10001:' >>/etc/group; \
    install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=build /out/ /

# All that is written is written here; the rest may be read-only.
ENV HOME=/data XDG_STATE_HOME=/data XDG_CACHE_HOME=/data/cache
# Without a token, serving others is refused: see deploy/README.md.
ENV PENNYWORTH_LISTEN=0.0.0.0
VOLUME /data
WORKDIR /data
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["/usr/bin/pennyworth", "health"]
ENTRYPOINT ["/usr/bin/pennyworth"]
CMD []

ARG COMMIT=unknown
ARG VERSION=0.1.0
ARG SOURCE=
LABEL org.opencontainers.image.title="pennyworth" \
    org.opencontainers.image.description="What a million training samples cost on this machine" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="$VERSION" \
    org.opencontainers.image.revision="$COMMIT" \
    org.opencontainers.image.source="$SOURCE"
