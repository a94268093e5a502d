# mmwemu in a container: docs/how-to/containers.md says how to start it, and which options docker and podman need.
#   docker build -t mmwemu .
#   docker run --rm --device /dev/net/tun --security-opt seccomp=unconfined ... mmwemu doctor
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ python3 python3-venv ca-certificates \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY CMakeLists.txt LICENSE README.md pyproject.toml ./
COPY docs/reference/cli.md docs/reference/
COPY mmwemu mmwemu
COPY patterns patterns
COPY scenarios scenarios
RUN python3 -m venv /opt/mmwemu && /opt/mmwemu/bin/pip install --no-cache-dir .

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends python3 nginx-light curl iproute2 iperf3 iputils-ping util-linux \
    ca-certificates \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/mmwemu /opt/mmwemu
RUN ln -s /opt/mmwemu/bin/mmwemu /usr/local/bin/mmwemu && useradd --create-home --uid 1000 mmwemu
USER mmwemu
WORKDIR /home/mmwemu
ENTRYPOINT ["mmwemu"]
CMD ["--help"]
