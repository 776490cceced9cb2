package server

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/journal"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/server/internal/sandboxes"
)

// TestR247WhatATokenMakesCountsForIt has a token make a sandbox, whose own token connects,
// and ask for a handoff, whose guest looks at the page.
func TestR247WhatATokenMakesCountsForIt(t *testing.T) {
	change, _ := withFile(t, "tokens:\n"+
		"  - {name: maker, token: "+clientToken+", role: client, hub: \"*\", scope: full}\n"+
		"  - {name: host, token: "+hostToken+", role: host}\n"+
		"  - {name: operator, token: "+adminToken+", role: admin}\n")
	s := start(t, func(o *Options) {
		change(o)
		o.AdminAddr, o.HandoffByLink, o.Browsers = "127.0.0.1:0", true, fakeBrowsers(works, "sandbox-*")
	})
	_, made := s.sandbox(t, "POST "+sandboxes.Path, "Authorization: Bearer "+clientToken)
	dial(t, strings.Replace(made.WSEndpoint, "localhost", s.addr(false), 1), bearer(made.AccessToken))
	dial(t, "ws://"+s.addr(true)+"/icdp/host", bearer(hostToken)).send(`{"kind":"ready","v":1,"targets":[{"targetId":"T1"}]}`)
	s.knows(t, "T1")
	s.guestOn(t, "T1")
	metrics := s.metricsOf(t)
	// The sandbox's Client, the agent, and the Client of the view.
	for _, want := range []string{`resource="clients",token="maker"} 3`, `resource="sandboxes",token="maker"} 1`, `resource="browsers",token="maker"} 1`, `resource="viewers",token="maker"} 1`} {
		if !strings.Contains(metrics, "cdphub_quota{"+want+"\n") {
			t.Errorf("the metrics lack %s", want)
		}
	}
	for line := range strings.Lines(metrics) {
		if strings.HasPrefix(line, "cdphub_quota{") && !strings.Contains(line, `token="maker"`) && !strings.Contains(line, `token="host"`) && !strings.HasSuffix(line, " 0\n") {
			t.Errorf("another pays: %s", line)
		}
		if strings.Contains(line, clientToken) || strings.Contains(line, made.AccessToken) || strings.Contains(line, made.SandboxID) {
			t.Errorf("a secret is in the metrics: %s", line)
		}
	}
}

// guestOn has an agent ask for a handoff, and a person look at the page by its link.
func (s started) guestOn(t *testing.T, target string) {
	t.Helper()
	agent := hubtest.Dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer(clientToken))
	agent.Send(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"` + target + `","flatten":true}}`)
	var attached struct{ Result struct{ SessionID string } }
	if err := json.Unmarshal([]byte(agent.Until(`"id":1,`)), &attached); err != nil {
		t.Fatal(err)
	}
	agent.Send(`{"id":2,"method":"CdpHub.handoff","params":{"instructions":"Look."},"sessionId":"` + attached.Result.SessionID + `"}`)
	var asked struct{ Result struct{ URL string } }
	if err := json.Unmarshal([]byte(agent.Until(`"id":2,`)), &asked); err != nil {
		t.Fatal(err)
	}
	base, ticket, _ := strings.Cut(asked.Result.URL, "/#handoff=")
	resp, err := http.Post(base+"/ui/api/handoff", "application/json", strings.NewReader(`{"ticket":"`+ticket+`"}`)) //nolint:noctx // it is local
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct{ Key string }
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	v := s.view(t, "", target, bearer(got.Key))
	v.until(map[string]any{"kind": "view"})
}

// TestEveryClientHasAPayer reads the package: a Client that is made without a Payer would
// count for the process, and its token would have more than its part.
func TestEveryClientHasAPayer(t *testing.T) {
	list, err := parser.ParseDir(token.NewFileSet(), ".", func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0) //nolint:staticcheck // build tags do not matter here
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(list["server"], func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		of, ok := lit.Type.(*ast.SelectorExpr)
		if !ok || of.Sel.Name != "ClientOptions" || len(lit.Elts) == 0 { // Server.Join is for the process itself
			return true
		}
		found++
		for _, e := range lit.Elts {
			if e.(*ast.KeyValueExpr).Key.(*ast.Ident).Name == "Payer" {
				return true
			}
		}
		t.Errorf("ClientOptions without a Payer at offset %d", lit.Pos())
		return true
	})
	if found < 3 {
		t.Errorf("%d ClientOptions were found", found)
	}
}

// TestEveryLimitIsKnown walks the options of all packages that limit something: what is
// for everybody together must be a resource of package quota, so that tokens share it.
func TestEveryLimitIsKnown(t *testing.T) {
	const (
		shared = "shared" // has a row in quota.Table
		own    = "own"    // of one connection, message, token, page or request
	)
	known := map[string]string{
		"relay.Limits.Clients": shared, "relay.Limits.Calls": shared, "relay.Limits.Sessions": shared,
		"relay.Limits.ClientSessions": own, "relay.Limits.ClientCalls": own,

		"server.Limits.MaxClients": shared, "server.Limits.MaxSessions": shared, "server.Limits.MaxCalls": shared,
		"server.Limits.MaxConnections": shared, "server.Limits.MemoryBudget": shared,
		"server.Limits.MaxClientMessage": own, "server.Limits.MaxHostMessage": own, "server.Limits.MaxClientQueue": own,
		"server.Limits.MaxHostQueue": own, "server.Limits.MaxClientQueued": own, "server.Limits.MaxHostQueued": own,
		"server.Limits.MaxClientSessions": own, "server.Limits.MaxClientCalls": own, "server.Limits.MaxLinks": own,
		"server.Limits.MaxNamed": own, "server.Limits.NamedMemory": own,
		"server.Limits.DownloadSize": shared, "server.Limits.MaxDownloads": own,

		"server.Actions.MaxSandboxes": shared, "server.Actions.BAPConnections": shared,
		"server.Actions.RequestRate": own, "server.Actions.ScreenshotRate": own, "server.Actions.BAPPages": own,
		"server.Actions.BAPMessage": own,

		"server.Timeline.Size": own, "server.Timeline.RecordSize": shared,
		"journal.Options.Size": own, "journal.Options.Memory": shared, "journal.Record.Size": shared,
		"server.Browsers.Max": shared,
	}
	for name, of := range map[string]any{
		"relay.Limits": relay.Limits{}, "server.Limits": Limits{}, "server.Actions": Actions{}, "server.Timeline": Timeline{},
		"journal.Options": journal.Options{}, "journal.Record": journal.Record{}, "server.Browsers": Browsers{},
	} {
		for f := range reflect.TypeOf(of).Fields() {
			if f.Type.Kind() != reflect.Int && (f.Type.Kind() != reflect.Int64 || f.Type.Name() != "int64") {
				continue
			}
			field := name + "." + f.Name
			if known[field] == "" {
				t.Errorf("%s limits something: give it a row in quota.Table if it is for everybody together, and say so here", field)
			}
			delete(known, field)
		}
	}
	for field := range known {
		t.Errorf("%s is not there any more", field)
	}
	for r, row := range quota.Table {
		if row.Name == "" || row.Total == 0 && row.Option == "" {
			t.Errorf("resource %d has no name, or no total", r)
		}
	}
}
