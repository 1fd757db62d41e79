# The standalone executable for an unprivileged user. docs/cron.md describes how to build and run it.
# Pin the base image for reproducible builds: --build-arg BASE=debian:12-slim@sha256:…
ARG BASE=debian:12-slim

FROM ${BASE} AS release
WORKDIR /release
COPY build/release/ ./
RUN set -eu; \
    case "$(uname -m)" in x86_64) target=linux-x64 ;; aarch64) target=linux-arm64 ;; *) exit 1 ;; esac; \
    grep -- "-$target.tar.gz\$" SHA256SUMS | sha256sum --check --strict; \
    mkdir files data; \
    tar -xzf matdecl-*-"$target".tar.gz -C files --strip-components 1 --no-same-owner

FROM ${BASE}
COPY --from=release /release/files/matdecl /usr/local/bin/matdecl
COPY --from=release /release/files/LICENSE /release/files/LICENSE-node /release/files/THIRD-PARTY-LICENSES /usr/local/share/doc/matdecl/
# Output, configuration and state: mount a volume here to keep them.
COPY --from=release --chown=65532:65532 /release/data /data
ENV HOME=/data
WORKDIR /data
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/matdecl"]
