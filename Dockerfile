# Headway's image: `docker build .` makes the one for an existing Kafka and
# ClickHouse, `docker build --target up .` the one that carries its own
# (run that with --network host: it listens on loopback alone).

FROM node:22-bookworm-slim AS web
WORKDIR /src/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN npm ci
COPY web ./
RUN npm run build

FROM node:22-bookworm-slim AS engine
WORKDIR /src/engine
COPY engine/chdb/package.json engine/chdb/package-lock.json engine/chdb/.npmrc ./
RUN npm ci && cp node_modules/@chdb/*/libchdb.so /src/libchdb.so

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=web /src/web/dist web/dist
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="-s -w" -o /out/headway ./cmd/headway

# Debian and not an empty image: the binary loads libchdb, which needs glibc.
FROM debian:bookworm-slim AS runtime
RUN useradd --system --uid 10001 --user-group --no-create-home headway \
 && install -d -o 10001 -g 10001 -m 0700 /var/lib/headway
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/headway /usr/local/bin/headway
COPY deploy/ready /usr/local/bin/headway-ready
USER 10001:10001
ENV HEADWAY_DATA_DIR=/var/lib/headway
VOLUME /var/lib/headway
ENTRYPOINT ["headway"]

FROM runtime AS up
COPY --from=engine /src/libchdb.so /usr/local/lib/libchdb.so
ENV HEADWAY_LIBCHDB=/usr/local/lib/libchdb.so
CMD ["up"]

FROM runtime AS server
CMD ["serve"]
