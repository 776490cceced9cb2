# make demo          see an agent drive apps in iframes (ARGS=--drive: by itself, then end)
# make check         the quick gate, without a browser: format, linters, types, generated files, tests (PKG=./relay: of one package, all its tests)
# make test          every test of the product, and a sample of the clients, in real browsers
# make test-clients  every client in every way: Playwright, Puppeteer, chromedp, rod, MCP servers, apps
# make test-long     the tests of the product at full size, then make fuzz
# make flaky         every test N times (20) in random order, with all cores kept busy (PACKAGES=./relay: those alone)
# make mutate        faults put into a package, and which of them its tests notice (PKG=./relay/quota N=40 SEED=1)
# make fuzz          what strangers send, made up: each target for FUZZTIME (10m)
# make lint          format, linters, types, generated files
# make clients-doc   which client can do what: docs/clients.md
# make devtools      the DevTools front end, for programs that are built afterwards: internal/devtools/dist/frontend.zip
# make docs          the documentation as a site with search: docs/.vitepress/dist
# make docs-images   the pictures of the documentation, from the demo: docs/images
# make bench         the hub against a forwarder that parses nothing, before a Chromium, and its actions against Playwright's (AGAINST=PROGRAM: also against another cdphub)
# make bench-compare each load of the hub beside the program of another commit (REV=v1.2.0)
# make bench-doc     the figures of docs/performance.md beside their goals, made anew
# make bench-cluster what another node, and cdphub connect, cost; takeovers, claims, memory of idle hubs
# make chaos         all faults at random, 60 s (DURATION=1h: longer, SEED=N: the same again, CLUSTER=3: in a cluster)
# make release       archives, deb, rpm, images, SBOMs, checksums: dist/, the same bytes for the same commit
# make release-test  what make release has made, tried as its users would
# make extension     the browser extension, for a browser to load and as a store takes it: dist/extension, dist/extension.zip
# make generate      what is made from sources: codecs, bundles, types, pages
# make npm           the npm packages, for all platforms: npm/dist
# make npm-test      the npm packages, installed and used as others do

.PHONY: demo check test test-product test-browsers test-cluster test-sample test-e2e test-clients test-long flaky mutate fuzz lint fresh clients-doc docs docs-images devtools bench bench-compare bench-doc bench-cluster chaos release release-test extension generate tools compiler
.DEFAULT_GOAL := test
.DELETE_ON_ERROR:

E2E := internal/e2e
AGENT_BROWSER := $(CURDIR)/$(E2E)/node_modules/.bin/agent-browser

# Go programs that the gates use, built once for each version.
TOOLS := $(CURDIR)/.tools
GOFUMPT := $(TOOLS)/gofumpt@v0.12.0
GOTESTSUM := $(TOOLS)/gotestsum@v1.13.0
GOLANGCI := $(TOOLS)/golangci-lint@v2.15.0
GORELEASER := $(TOOLS)/goreleaser@v2.16.0

$(GOFUMPT): MODULE := mvdan.cc/gofumpt
$(GOTESTSUM): MODULE := gotest.tools/gotestsum
$(GOLANGCI): MODULE := github.com/golangci/golangci-lint/v2/cmd/golangci-lint
$(GORELEASER): MODULE := github.com/goreleaser/goreleaser/v2
$(TOOLS)/%:
	GOBIN=$(TOOLS)/new go install $(MODULE)@$(lastword $(subst @, ,$*))
	mv $(TOOLS)/new/$(firstword $(subst @, ,$*)) $@

# The modules of this repository: the product, its cluster, its bundler, its end-to-end tests, its releases.
MODULES := . internal/cluster/nats web/build $(E2E) packaging/release

include npm/Makefile

demo: tools
	go run ./cmd/cdphub demo --agent-browser=$(AGENT_BROWSER) $(ARGS)

# Packages whose tests are about browsers, or take long.
SLOW := actions/conformance|internal/browsertest|internal/chaos|internal/bench|web/test

check: fresh $(GOFUMPT) $(GOLANGCI) web/node_modules
	@out=$$($(GOFUMPT) -l .) && test -z "$$out" || { echo "gofumpt would change these files; run $(GOFUMPT) -w ."; echo "$$out"; exit 1; }
	$(GOLANGCI) run $(PKG)
	cd web && npm exec -- tsc --noEmit --incremental --tsBuildInfoFile node_modules/.tsbuildinfo
	go vet $(or $(PKG),./...)
	go test -vet=off $(if $(PKG),$(PKG),-short $$(go list ./... | grep -vE '($(SLOW))$$'))

# A test that failed runs once more, alone: a machine that others use can be too
# slow for it once. Nothing runs again after a data race, or when more than three tests
# have failed (six with the tests around them). make test ends with the names of those that ran again.
RESULTS := $(TOOLS)/results
GOTEST = $(GOTESTSUM) --format pkgname --rerun-fails=1 --rerun-fails-max-failures=6 --rerun-fails-run-root-test \
	--rerun-fails-abort-on-data-race --rerun-fails-report=$(RESULTS)/$@-$(1).again --jsonfile $(RESULTS)/$@-$(1).json --packages="$(2)" -- -vet=off

# Two parts run side by side, and the tests of clusters beside them, which mostly wait.
# Three parts that compute kept two cores so busy that time limits expired.
test: tools compiler $(GOTESTSUM)
	@rm -rf $(RESULTS) && mkdir -p $(RESULTS)
	@echo "Three parts run side by side. Each prints what it found when it ends; two take ten minutes or more."
	$(MAKE) -j3 --output-sync=target test-product test-browsers test-cluster
	@again=$$(cat $(RESULTS)/*.again 2>/dev/null); test -z "$$again" || { echo "These tests failed, and passed when they ran again, alone:"; echo "$$again"; }
	@skipped=$$(cat $(RESULTS)/*.json | grep '"Action":"skip"' | grep -oE '"Test":"((Test|Fuzz)([RF][0-9]{2,3})+[^0-9/"][^/"]*|[^"]*[/_][RF]-[0-9]{2,3}[^"]*)"'); \
	test -z "$$skipped" || { echo "These tests of requirements were skipped:"; echo "$$skipped"; exit 1; }

PACKAGES_AT_ONCE ?= 3

# One after the other.
test-browsers:
	$(MAKE) test-sample
	$(MAKE) test-e2e

# The tests of the product. Race detector where there is concurrency of ours: the
# conformance and page tests are about what a browser does, and run without it, as
# do a test of relay that it cannot watch (TestR70), and the model of a cluster, which
# has one goroutine (TestModel). Attacks on scopes are here and not in test-e2e so that
# both parts take as long.
test-product: tools compiler $(GOTESTSUM)
	@mkdir -p $(RESULTS)
	$(call GOTEST,race,$$(go list ./... | grep -vE '/(actions/conformance|web/test)$$' | tr '\n' ' ')) -race -shuffle=on -timeout 20m -p $(PACKAGES_AT_ONCE)
	$(call GOTEST,plain,./actions/conformance ./web/test) -shuffle=on -timeout 20m -p 2
	$(call GOTEST,norace,./relay ./internal/cluster) -count=1 -run 'TestR70|TestModel'
	cd $(E2E) && $(call GOTEST,scopes,./scopes) -shuffle=on -timeout 20m

# A cluster, the bundler, the files for Kubernetes, and a packaged unit as its user.
test-cluster: tools compiler $(GOTESTSUM)
	@mkdir -p $(RESULTS)
	cd internal/cluster/nats && $(call GOTEST,nats,./...) -shuffle=on -timeout 20m -p 1
	cd web/build && $(call GOTEST,build,./...) -shuffle=on -timeout 20m
	@command -v bwrap >/dev/null || ./.ci/install bubblewrap
	go test -C packaging/release -run 'TestKubernetes|TestR320' .

# The sample of the clients: Playwright at frames and at a browser behind the hub,
# three other clients at frames, and the examples. They have a bad network in test-clients; clicks have one in test-e2e.
test-sample: tools $(GOTESTSUM)
	@mkdir -p $(RESULTS)
	cd $(E2E) && $(call GOTEST,playwright,./playwright) -count=1 -timeout 20m -run 'TestHub|TestBrowserHost' -args -sample
	cd $(E2E) && $(call GOTEST,clients,./clients) -count=1 -timeout 20m -run 'TestPuppeteer|TestChromedp|TestPlaywrightMCP|TestExamples' -skip ByABadNetwork

# The product as a whole.
test-e2e: tools $(GOTESTSUM)
	@mkdir -p $(RESULTS)
	@test -x /usr/sbin/nginx || command -v nginx >/dev/null || ./.ci/install nginx
	@command -v caddy >/dev/null || ./.ci/install caddy
	cd $(E2E) && $(call GOTEST,e2e,. ./axtree ./benchdoc ./browserhost ./devtools ./editing ./extension ./hanging ./pages ./proxy ./reverseproxy ./shots) -shuffle=on -timeout 20m -p 2
	cd $(E2E) && $(call GOTEST,docs,./docs) -count=1 -timeout 20m -run 'TestBlocks/README|TestOwnPages'
	cd $(E2E) && $(call GOTEST,recording,./recording) -count=1 -timeout 20m -run TestHandoff
	cd $(E2E) && $(call GOTEST,siege,./siege) -count=1 -timeout 20m

# A whole Chromium for the tests that otherwise have its headless shell.
test-clients test-long clients-doc: export CHROMIUM ?= $(firstword $(foreach name,chromium chromium-browser google-chrome chrome,$(shell command -v $(name))))

test-clients: tools
	@test -f /usr/share/wordpress/wp-load.php && test -d /usr/share/wordpress/wp-content/themes/twentytwentyone && test -f /usr/share/dokuwiki/doku.php && command -v php mariadbd >/dev/null || \
		./.ci/install php-cli php-mysql php-xml mariadb-server-core mariadb-client-core wordpress wordpress-theme-twentytwentyone dokuwiki
	go test -C $(E2E) -v -count=1 -run TestTreeMatchesChromium ./axtree
	go test -C $(E2E) -shuffle=on -count=1 -timeout 60m -p 1 ./apps ./clients ./docs ./npm ./playwright ./recording
	go test -C $(E2E) -shuffle=on -count=1 -timeout 60m ./clients -target browser
	go test -C $(E2E) -run '^$$' -bench ClickInTheDashboard -benchtime 1x -timeout 30m ./pages
	CDPHUB_LINK_FAULTS=2m go test -C $(E2E) -count=1 -timeout 60m -p 1 . ./clients ./playwright -run 'ByABadNetwork|TestCluster'

# The tests whose numbers are smaller by default, as their requirements have them.
test-long: tools
	CDPHUB_LONG=1 go test -race -shuffle=on -timeout 60m ./...
	CDPHUB_LONG=1 go test -C $(E2E) -shuffle=on -timeout 60m ./browserhost
	CDPHUB_LONG=1 go test -C $(E2E) -count=1 -v -timeout 90m ./siege
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

# ALL=1 has all importers run, also those that start browsers. RUN names
# tests, BY packages. PKG=./web/src/agent puts the faults into TypeScript.
mutate: N = 40
mutate: SEED = 1
mutate: $(if $(filter web/% ./web/%,$(PKG)),web/node_modules)
	go run ./internal/mutate -pkg '$(PKG)' -n $(N) -seed $(SEED) -by '$(BY)' -run '$(RUN)' $(if $(ALL),,-skip '/($(SLOW)|actions|bridge/chrome|browsers|internal/cli|server)$$')

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

lint: fresh $(GOFUMPT) $(GOLANGCI) web/node_modules
	@out=$$($(GOFUMPT) -l .) && test -z "$$out" || { echo "gofumpt would change these files; run $(GOFUMPT) -w ."; echo "$$out"; exit 1; }
	set -e; for m in $(MODULES); do (cd $$m && $(GOLANGCI) run); done
	cd web && npm exec -- tsc --noEmit
	cd web && npm exec -- biome ci --error-on-warnings . ../examples ../npm
	./.ci/subjects

# Fails when a file that is made from others is not what its sources make.
fresh: web/node_modules
	go run -C web/build . -check
	@before=$$(git diff --no-ext-diff -- '*_easyjson.go' httpdiscovery/protocol.json docs | sha256sum); go generate ./... && \
	after=$$(git diff --no-ext-diff -- '*_easyjson.go' httpdiscovery/protocol.json docs | sha256sum); \
	test "$$before" = "$$after" || { echo "go generate has changed files: commit them"; git diff --stat -- '*_easyjson.go' httpdiscovery/protocol.json docs; exit 1; }

# docs/clients.md, from a run of the end-to-end tests of all clients
clients-doc: tools
	out=$$(mktemp) && cd $(E2E) && E2E_RESULTS=$$out go test -count=1 -timeout 30m . ./clients ./playwright ./devtools && \
		go run ./clients/table < $$out > $(CURDIR)/docs/clients.md; status=$$?; rm -f $$out; exit $$status

docs: docs/node_modules
	docs/node_modules/.bin/vitepress build docs
	@echo "The site is in docs/.vitepress/dist. To read it here: docs/node_modules/.bin/vitepress preview docs"

docs-images: tools
	go test -C $(E2E) -count=1 ./docs -run TestImages -images $(CURDIR)/docs/images

devtools: internal/devtools/dist/frontend.zip

internal/devtools/dist/frontend.zip: internal/devtools/node_modules internal/devtools/embedder.js $(wildcard internal/devtools/pack/*.go)
	go run ./internal/devtools/pack

# The median of so many rounds counts. AGAINST names another cdphub, such as of another commit, to compare with.
ROUNDS ?= 13
BENCH_HUB = go test ./internal/bench -run '^$$' -bench 'Hub|Fair' -benchtime $(ROUNDS)x
BENCH_MEMORY = go test ./internal/bench -run '^$$' -bench Memory -benchtime 1x

bench: tools
	$(BENCH_HUB) $(if $(AGAINST),-against $(abspath $(AGAINST)))
	$(BENCH_MEMORY)
	go test ./internal/cli -run '^$$' -bench Connect -benchtime 5s
	go test ./web/test -run '^$$' -bench PageLoop -benchtime 1x
	go test ./server -run '^$$' -bench ViewedPage -benchtime 2x
	go test ./server -run '^$$' -bench ClickInAView -benchtime 100x
	go test -C $(E2E) -run '^$$' -bench . -benchtime 1x -timeout 30m ./playwright ./clients ./pages ./speed

# Before a release: it fails where this commit takes more than a tenth more than another (REV=v1.2.0), in one run.
bench-compare:
	@test -n "$(REV)" || { echo "Say which commit: make bench-compare REV=v1.2.0"; exit 1; }
	@set -e; other=$$(mktemp -d); trap "rm -rf $$other" EXIT; \
	git archive $(REV) | tar -x -C $$other; \
	go build -C $$other -o $$other/cdphub-of-rev ./cmd/cdphub; \
	$(BENCH_HUB) -against $$other/cdphub-of-rev -most 1.1

# docs/performance.md. The machine should have nothing else to do meanwhile.
bench-doc: tools
	@set -e; figures=$$(mktemp); trap "rm -f $$figures" EXIT; \
	$(BENCH_HUB) >> $$figures; \
	$(BENCH_MEMORY) >> $$figures; \
	go test ./web/test -run '^$$' -bench 'PageLoop|AgentStart|AgentSize' -benchtime 1x >> $$figures; \
	go test ./actions -run '^$$' -bench RoundTrips -benchtime 1x >> $$figures; \
	go test -C $(E2E) -run '^$$' -bench Clicks -benchtime 1x -timeout 30m ./clients >> $$figures; \
	go test -C $(E2E) -run '^$$' -bench . -benchtime 1x -timeout 30m ./speed >> $$figures; \
	go test -C $(E2E) -run '^$$' -bench 'DrivenLoop|Storm' -benchtime 1x -timeout 30m ./playwright >> $$figures; \
	go run -C $(E2E) ./benchdoc -docs $(CURDIR)/docs < $$figures

# Each number is of this machine and what else runs on it: the ratios say more.
bench-cluster:
	go test -C internal/cluster/nats -run '^$$' -bench Hop -benchtime 300x ./cmd/cdphub-cluster
	go test -C internal/cluster/nats -run '^$$' -bench 'Takeover|Idle' -benchtime 1x ./cmd/cdphub-cluster
	go test -C internal/cluster/nats -run '^$$' -bench 'Claim|Owner' .

DURATION ?= 60s
SEED ?= 0
CLUSTER ?= 0

chaos: compiler
	go test -race -count=1 -v -timeout 0 -run TestRandom ./internal/chaos -duration=$(DURATION) -seed=$(SEED) -cluster=$(CLUSTER)

# A commit with a tag is a release, any other a snapshot. goreleaser wants to know
# a remote, which a clone may not have.
RELEASE := $(TOOLS)/release
release release-test: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct)
release release-test: export RELEASE := $(RELEASE)
release release-test: export GORELEASER := $(GORELEASER)
release: export GIT_CONFIG_COUNT = 1
release: export GIT_CONFIG_KEY_0 = remote.origin.url
release: export GIT_CONFIG_VALUE_0 = https://github.com/cdphub/cdphub
release: $(GORELEASER) internal/devtools/dist/frontend.zip
	@command -v mmdebstrap >/dev/null || ./.ci/install mmdebstrap debian-archive-keyring
	go build -C packaging/release -o $(RELEASE) .
	$(RELEASE) licenses ./cmd/cdphub > packaging/THIRD-PARTY.txt
	cd internal/cluster/nats && $(RELEASE) licenses ./cmd/cdphub-cluster > $(CURDIR)/packaging/cluster/THIRD-PARTY.txt
	$(GORELEASER) check packaging/goreleaser.yaml
	$(GORELEASER) release -f packaging/goreleaser.yaml --clean --skip=publish $$(git describe --exact-match --tags >/dev/null 2>&1 || echo --snapshot)
	$(RELEASE) images dist
	cd dist && sha256sum *.cdx.json *.deb *.rpm *.tar *.tar.gz *.zip > checksums.txt

# As root: it installs the packages in a Debian of its own.
release-test:
	@for tool in bwrap debootstrap rpm; do command -v $$tool >/dev/null || ./.ci/install bubblewrap debootstrap rpm; done
	@command -v systemd-analyze >/dev/null || ./.ci/install systemd
	go test -C packaging/release -count=1 -v -timeout 60m -dist $(CURDIR)/dist ./...

extension: web/node_modules
	go run -C web/build . -extension $(CURDIR)/dist

generate: web/node_modules
	go generate ./...
	go run -C web/build .

# What the tests and the demo need beside Go; installed only where missing.
tools: $(E2E)/node_modules web/node_modules
	@command -v chromium >/dev/null || ./.ci/install chromium
	@command -v chromium-headless-shell >/dev/null || ./.ci/install chromium-headless-shell || echo "Tests use chromium in its place, and take longer."
	@command -v chromedriver >/dev/null || ./.ci/install chromium-driver
	@command -v firefox-esr >/dev/null || command -v firefox >/dev/null || ./.ci/install firefox-esr
	@command -v cog >/dev/null || ./.ci/install cog
	@command -v curl >/dev/null || ./.ci/install curl

# The race detector wants a C compiler.
compiler:
	@command -v cc >/dev/null || ./.ci/install gcc libc6-dev

%/node_modules: %/package-lock.json
	@command -v npm >/dev/null || ./.ci/install nodejs npm
	npm ci --prefix $* --no-audit --no-fund --ignore-scripts
	@touch $@
