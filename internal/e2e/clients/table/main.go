// Command table turns the outcomes of the end-to-end tests, lines of JSON on
// standard input, into the table of clients and features, in Markdown.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cdphub/cdphub/internal/e2e/clients"
)

// columns are the clients; an outcome in Firefox has a column of its own.
var columns = []string{
	"Playwright", "Playwright in Firefox", "Playwright MCP", "Puppeteer", "Puppeteer BiDi", "chromedp", "rod",
	"chrome-remote-interface", "chrome-devtools-mcp", "agent-browser", "Stagehand", "Selenium",
	"DevTools",
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

// cell is what the tests of one client say of one feature.
type cell struct {
	tests   int
	reasons []string // each with its verdict
	cannot  int
	without string // tests: what there is in their place
	fails   int
}

func run(in io.Reader, out io.Writer) error {
	cells, err := read(in)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, `# Clients and features

The table shows what each client can do with an app in an iframe, through the hub. It is made from a run of the end-to-end
tests (`+"`make clients-doc`"+`).

* "works (5)": five tests pass. The same tests pass against Chromium directly.
* "works (5), but [1]": further tests behave differently in an iframe, or cannot work there. The note says which.
* "works differently", "cannot": all tests of the feature behave differently in an iframe, or cannot work there.
* "no command": the client has no command for the feature.
* "not tested": the client has a command, but no test uses it.

chrome-remote-interface, and every client that connects to the addresses of `+"`/json/list`"+`, needs `+"`cdphub serve --page-sockets`"+` for
an iframe. For a page of a real browser it needs no option; see [browsers.md](browsers.md#addresses-as-chromium-has-them). `+"`CDP()`"+` without options
takes the page that was active last, and `+"`cdphub mcp --url`"+` takes the http address of a plain Chromium, too.

The column "DevTools" is about the DevTools that [the hub serves](devtools.md).

Selenium is the exception: chromedriver drives whole browsers only, so its column is about a page of a real browser behind the hub
(`+"`cdphub serve --browser`"+`).`)
	fmt.Fprintf(out, "\n| feature | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	var notes []string
	number := map[string]int{}
	var untested []string
	for _, feature := range clients.Features {
		fmt.Fprintf(out, "| %s |", feature)
		for _, client := range columns {
			c := cells[[2]string{client, feature}]
			fmt.Fprint(out, " ")
			switch other := instead(client, feature); {
			case c == nil && other == nil:
				untested = append(untested, client+": "+feature)
			case c != nil && other != nil:
				return fmt.Errorf("%s is said to lack what it does: %s", client, feature)
			case c == nil:
				c = other
			}
			if c != nil {
				fmt.Fprint(out, c.verdict())
				for _, reason := range c.reasons {
					if number[reason] == 0 {
						notes = append(notes, reason)
						number[reason] = len(notes)
					}
					fmt.Fprintf(out, " [%d]", number[reason])
				}
			}
			fmt.Fprint(out, " |")
		}
		fmt.Fprintln(out)
	}
	if untested != nil {
		return fmt.Errorf("not tested: %s", strings.Join(untested, ", "))
	}
	fmt.Fprintln(out)
	for i, note := range notes {
		fmt.Fprintf(out, "%d. %s\n", i+1, note)
	}
	fmt.Fprint(out, otherClients)
	return nil
}

// otherClients is about clients whose programs no test runs.
const otherClients = "\n" +
	"## Other clients\n" +
	"\n" +
	"These clients have no row above, since no test runs their programs. The transcripts `testdata/transcripts/other_clients.txt` and\n" +
	"`interception.txt` have their commands as they write them, and `go test ./server -run TestR300` compares the answers with Chromium's.\n" +
	"\n" +
	"| client | with | what is particular |\n" +
	"|---|---|---|\n" +
	"| nodriver, zendriver, SeleniumBase (CDP mode) | a real browser; an iframe with `--page-sockets` | `\"params\":[]` for commands without params, and the socket of each page |\n" +
	"| scripts with Python's websocket-client, pychrome | both | any form of JSON that Chromium takes |\n" +
	"| ferrum | a real browser | it has browser contexts of its own, which an iframe does not have |\n" +
	"\n" +
	"These were tried by hand, with `cdphub serve --browser`:\n" +
	"\n" +
	"| client | command | result |\n" +
	"|---|---|---|\n" +
	"| k6 1.8.1, its module browser | `K6_BROWSER_WS_URL=ws://127.0.0.1:9222/devtools/browser k6 run test.js` | two users at a time, with contexts, cookies, clicks and pictures: all checks pass |\n" +
	"| Lighthouse 12.8.2 | `lighthouse URL --port 9222` | a report without errors in all four categories |\n"

// instead is what the table says of a feature that a client is not tested with; nil for
// all others.
func instead(client, feature string) *cell {
	if reason := clients.Lacks[client][feature]; reason != "" {
		return &cell{without: "no command", reasons: []string{reason}}
	}
	if reason := clients.Untested[client][feature]; reason != "" {
		return &cell{without: "not tested", reasons: []string{reason}}
	}
	return nil
}

func (c *cell) verdict() string {
	switch {
	case c.without != "":
		return c.without
	case c.fails > 0:
		return fmt.Sprintf("**fails** (%d of %d)", c.fails, c.tests)
	case c.cannot == c.tests:
		return "cannot"
	case c.tests == len(c.reasons):
		return "works differently"
	case len(c.reasons) > 0:
		return fmt.Sprintf("works (%d), but", c.tests-len(c.reasons))
	}
	return fmt.Sprintf("works (%d)", c.tests)
}

// read gathers the outcomes through the hub, by client and feature.
func read(in io.Reader) (map[[2]string]*cell, error) {
	cells := map[[2]string]*cell{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r clients.Result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, err
		}
		if err := r.Check(); err != nil {
			return nil, err
		}
		client := r.Client
		switch r.Target {
		case "browser":
			if client != "Selenium" { // which has no other
				continue
			}
		case "firefox":
			client += " in Firefox"
		case "chromium", "webkit":
			continue
		}
		key := [2]string{client, r.Feature}
		c := cells[key]
		if c == nil {
			c = &cell{}
			cells[key] = c
		}
		c.tests++
		switch r.Result {
		case clients.Fails:
			c.fails++
		case clients.Cannot:
			c.cannot++
			c.reasons = append(c.reasons, "Cannot do \""+r.Test+"\". "+r.Reason)
		case clients.Differs:
			c.reasons = append(c.reasons, "Differs in \""+r.Test+"\". "+r.Reason)
		}
	}
	return cells, lines.Err()
}
