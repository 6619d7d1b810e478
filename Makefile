# Headway's tasks. `make` alone lists them; each installs what it needs.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# The binary needs no C compiler; neither do its tests.
export CGO_ENABLED ?= 0

# Flags for `make up`, for example UP_FLAGS='--listen 127.0.0.1:9000'.
UP_FLAGS ?=
# Flags for every go test, for example TESTFLAGS='-run Quantile -v'.
TESTFLAGS ?=
# How long make chaos runs on each broker, with how many kills at least, and
# on which brokers: kfake (that of headway up), kafka (Apache Kafka).
CHAOS_MINUTES ?= 30
CHAOS_KILLS ?= 100
CHAOS_BROKERS ?= kfake kafka

# Of bench-ingest: RUNS of each of PEERS with RECORDS on PARTITIONS, on BROKER
# (kfake, kafka or both), and Headway's growth over GROWTH. See docs/benchmarks.md.
RECORDS ?= 1000000
PARTITIONS ?= 4
GROWTH ?= 1,2,4,8
BROKER ?= kfake
RUNS ?= 1
PEERS ?= headway,kafka-engine,collector,collector-tuned
BENCH_FLAGS ?=

WEB_SOURCES := $(shell find web/src web/build.mjs web/tsconfig.json web/package-lock.json -type f 2>/dev/null)
KAFKA_TESTS = $$(grep -rlE --include='*_test.go' --exclude-dir=node_modules '^//go:build .*kafka' . | xargs -n 1 dirname | sort -u)

.PHONY: help setup build web up test test-kafka test-docs chaos lint outage bench bench-ingest bench-decode clean

help: ## List the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Install what is missing: Go and Node checks, the database library, web packages
	@scripts/setup go node engine web

build: setup web/dist/index.html ## Build bin/headway with the dashboard in it
	@go build -o bin/headway ./cmd/headway

web: setup web/dist/index.html ## Build the dashboard into web/dist

web/dist/index.html: $(WEB_SOURCES) | setup
	@cd web && npm run --silent build

up: build ## Start everything on this machine, with sample data; prints the URL
	@exec bin/headway up $(UP_FLAGS)

test: build ## All tests but those on Apache Kafka (a browser is installed for them)
	@scripts/setup chromium
	cd web && npm test --silent
	go vet ./...
	go test -count=1 -timeout 10m $(TESTFLAGS) ./...

test-kafka: build ## Tests on a real Apache Kafka broker (needs a JRE and Maven); browser tests are in test
	@scripts/setup kafka
	go test -count=1 -timeout 10m -p 1 -tags kafka -skip '^TestDashboard' $(TESTFLAGS) $(KAFKA_TESTS)

test-docs: build ## Run the commands that README and docs/ show
	@scripts/setup curl
	go test -count=1 -timeout 4m -v -tags docs $(TESTFLAGS) ./internal/testkit/docs

chaos: build ## Kill, freeze and cut off everything at random; see docs/chaos.md
	@scripts/setup kafka
	failed=; for broker in $(CHAOS_BROKERS); do \
	  CHAOS_MINUTES=$(CHAOS_MINUTES) CHAOS_KILLS=$(CHAOS_KILLS) go test -count=1 -timeout $$(($(CHAOS_MINUTES) + 60))m -v \
	    $$([ $$broker = kafka ] && echo -tags kafka) $(TESTFLAGS) ./internal/chaos || failed="$$failed $$broker"; \
	done; [ -z "$$failed" ] || { echo "chaos: failed on$$failed" >&2; exit 1; }

lint: setup ## Formatting, vet, staticcheck, sizes and imports, types, shell scripts
	@scripts/lint

outage: build ## ClickHouse away for 10 minutes at 5,000 records/s: memory, generation, catching up
	HEADWAY_OUTAGE=$${HEADWAY_OUTAGE:-10m} HEADWAY_OUTAGE_RATE=$${HEADWAY_OUTAGE_RATE:-5000} go test -count=1 -v -timeout 40m -run TestOutage $(TESTFLAGS) ./internal/e2e/faults

bench: setup ## All benchmarks of the Go packages
	go test -run '^$$' -bench . -benchmem -timeout 30m $(TESTFLAGS) ./...

bench-ingest: build ## Headway beside ClickHouse's Kafka engine and the OpenTelemetry collector
	@case "$(BROKER)" in kfake) ;; *) scripts/setup kafka ;; esac
	@case "$(PEERS)" in *collector*) cd bench/otelcol && go vet . && go build -trimpath -o ../../bin/bench-otelcol . ;; esac
	@go build -o bin/bench-ingest ./bench/ingest
	@bin/bench-ingest -records $(RECORDS) -partitions $(PARTITIONS) -growth "$(GROWTH)" -broker $(BROKER) -runs $(RUNS) \
	  -peers $(PEERS) -otelcol bin/bench-otelcol $(BENCH_FLAGS)

bench-decode: setup ## Headway's decoder beside other JSON libraries that do the same
	@cd bench/decode && go vet . && go test -count=1 . && go build -trimpath -o ../../bin/bench-decode .
	@bin/bench-decode $(BENCH_FLAGS)

clean: ## Remove what was built; downloads stay
	@rm -rf bin web/.test
	@find web/dist -mindepth 1 ! -name .gitkeep -delete
