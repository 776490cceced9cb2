# make demo    see an agent drive apps in iframes (ARGS=--drive: by itself, then end)
# make test    every test, the end-to-end ones in a real Chromium
# make test-long  the same at full size, then make fuzz
# make flaky   every test N times (20) in random order, with all cores kept busy (PACKAGES=./relay: those alone)
# make fuzz    what strangers send, made up: each target for FUZZTIME (10m)
# make lint    formatting, linters, types, freshness of what is generated
# make trust-doc    what must hold, and which test says so: docs/trust.md
# make actions-doc  how to speak the action APIs, and what works where: docs/actions.md
# make clients-doc  which client can do what: docs/clients.md
# make bench   the hub against a forwarder that parses nothing, before a Chromium, and its actions against Playwright's
# make chaos   all faults at random, 60 s (DURATION=1h: longer, SEED=N: the same again)
# make generate  what is made from sources: codecs, bundles

.PHONY: demo test test-long flaky fuzz lint trust-doc actions-doc clients-doc bench chaos generate tools
.DEFAULT_GOAL := test

E2E := internal/e2e
AGENT_BROWSER := $(CURDIR)/$(E2E)/node_modules/.bin/agent-browser
GOFUMPT := go run mvdan.cc/gofumpt@v0.12.0
GOTESTSUM := go run gotest.tools/gotestsum@v1.13.0
GOLANGCI := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# The modules of this repository: the product, its bundler, its end-to-end tests.
MODULES := . web/build $(E2E)

demo: tools
	go run ./cmd/cdphub demo --agent-browser=$(AGENT_BROWSER) $(ARGS)

# The tests of the product, with those that attack its scopes, and what they say
# of what must hold, and of the action APIs: both pages are written (-write) or
# compared (-check).
define unit_tests
out=$$(mktemp) && $(GOTESTSUM) --format pkgname --jsonfile $$out -- -race -shuffle=on -timeout 20m ./... && \
	(cd $(E2E) && $(GOTESTSUM) --format pkgname --jsonfile $$out.scopes -- -race -shuffle=on -timeout 20m ./scopes) && \
	cat $$out.scopes >> $$out && \
	go run ./internal/trust $(1) docs/trust.md < $$out && \
	go run ./internal/actionsdoc $(1) docs/actions.md < $$out; status=$$?; rm -f $$out $$out.scopes; exit $$status
endef

test: tools
	@command -v cc >/dev/null || ./.ci/install gcc libc6-dev # the race detector wants a C compiler
	$(call unit_tests,-check)
	go test -count=1 -run TestR70 ./relay # what the race detector is left out of
	go test -C web/build -race -shuffle=on -timeout 20m ./...
	go test -C $(E2E) -race -shuffle=on -timeout 20m -p 1 $$(go list -C $(E2E) ./... | grep -v /scopes$$) # one browser after the other
	go test -C $(E2E) -v -count=1 -run TestTreeMatchesChromium ./axtree # once more, to print the shares

# The tests whose numbers are smaller by default, as their requirements have them.
test-long: tools
	CDPHUB_LONG=1 go test -race -shuffle=on -timeout 60m ./...
	$(MAKE) fuzz

N ?= 20
PACKAGES ?= ./...

# Goes on after a failure, and says how many runs had one.
flaky: tools
	@for core in $$(seq $$(nproc)); do timeout 24h sh -c 'while :; do :; done' & busy="$$busy $$!"; done; trap "kill $$busy" EXIT; trap 'exit 1' INT TERM; \
	failed=0; for run in $$(seq $(N)); do \
		echo "run $$run of $(N)"; \
		go test -count=1 -shuffle=on -timeout 60m $(PACKAGES) $(if $(filter ./...,$(PACKAGES)),&& go test -C $(E2E) -count=1 -shuffle=on -timeout 60m -p 1 ./...) || failed=$$((failed + 1)); \
	done; echo "$$failed of $(N) runs failed"; test $$failed = 0

FUZZTIME ?= 10m

# Go 1.26 may count the end of the time itself as a failure, without a finding.
fuzz:
	@set -e; log=$$(mktemp); for dir in $$(grep -rl --include='*_test.go' --exclude-dir=node_modules '^func Fuzz' . | xargs -n 1 dirname | sort -u); do \
		for target in $$(go test -list '^Fuzz' $$dir | grep '^Fuzz'); do \
			echo "$$dir $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=2s $$dir >$$log 2>&1 || \
				{ grep -q 'context deadline exceeded' $$log && ! grep -q 'Failing input' $$log; } || { cat $$log; exit 1; }; \
			grep '^fuzz: elapsed' $$log | tail -n 1; \
		done; \
	done

lint: web/node_modules
	@out=$$($(GOFUMPT) -l .) && test -z "$$out" || { echo "gofumpt would change these files; run $(GOFUMPT) -w ."; echo "$$out"; exit 1; }
	set -e; for m in $(MODULES); do (cd $$m && go vet ./... && $(GOLANGCI) run); done
	cd web && npm exec -- tsc --noEmit
	cd web && npm exec -- biome ci --error-on-warnings . ../examples
	go run -C web/build . -check
	go generate ./... && git diff --exit-code -- '*_easyjson.go' httpdiscovery/protocol.json docs/config.md docs/scopes.md

trust-doc: tools
	$(call unit_tests,-write)

# docs/actions.md alone
actions-doc: tools
	go test -json -count=1 -run '^Test(NDJSON|JSONRPC|Hooks|BAP|MCP)(Conformance|Security|Seed)$$' ./cmd/cdphub | \
		go run ./internal/actionsdoc -write docs/actions.md

# docs/clients.md, from a run of the end-to-end tests of all clients
clients-doc: tools
	out=$$(mktemp) && cd $(E2E) && E2E_RESULTS=$$out go test -count=1 -timeout 30m . ./clients ./playwright && \
		go run ./clients/table < $$out > $(CURDIR)/docs/clients.md; status=$$?; rm -f $$out; exit $$status

bench: tools
	go run ./internal/bench
	go test -C $(E2E) -run '^$$' -bench . -benchtime 1x -timeout 30m ./playwright ./clients

DURATION ?= 60s
SEED ?= 0

chaos:
	@command -v cc >/dev/null || ./.ci/install gcc libc6-dev # the race detector wants a C compiler
	go test -race -count=1 -v -timeout 0 -run TestRandomFaults ./internal/chaos -duration=$(DURATION) -seed=$(SEED)

generate: web/node_modules
	go generate ./...
	go run -C web/build .

# What the tests and the demo need beside Go; installed only where missing.
tools: $(E2E)/node_modules web/node_modules
	@command -v chromium >/dev/null || ./.ci/install chromium
	@command -v firefox-esr >/dev/null || command -v firefox >/dev/null || ./.ci/install firefox-esr
	@command -v cog >/dev/null || ./.ci/install cog

%/node_modules: %/package-lock.json
	@command -v npm >/dev/null || ./.ci/install nodejs npm
	npm ci --prefix $* --no-audit --no-fund --ignore-scripts
	@touch $@
