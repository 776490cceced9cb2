package scope

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// TestR110TheTableHasAVerdictForAll compares the table with the protocol that is
// committed, and with that of the Chromium that is installed.
func TestR110TheTableHasAVerdictForAll(t *testing.T) {
	committed, err := os.ReadFile("../../httpdiscovery/protocol.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, description := range map[string][]byte{"protocol.json": committed, "Chromium": protocolOfChromium(t)} {
		for _, problem := range Missing(description) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// protocolOfChromium is the /json/protocol of the Chromium that is installed.
func protocolOfChromium(t *testing.T) []byte {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("this test needs a Chromium on the PATH: ", err)
	}
	dir, err := os.MkdirTemp("", "cdphub-scope-")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"--remote-debugging-port=0", "--user-data-dir="+dir, "about:blank")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		for range 50 { // its last processes may still be writing
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	for range 300 {
		port, _, found := strings.Cut(read(filepath.Join(dir, "DevToolsActivePort")), "\n")
		if !found {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		resp, err := http.Get("http://127.0.0.1:" + port + "/json/protocol")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		description, err := io.ReadAll(resp.Body)
		if err != nil || len(description) < 1<<16 {
			t.Fatalf("Chromium tells %d bytes of its protocol: %v", len(description), err)
		}
		return description
	}
	t.Fatal("Chromium has not opened its port in 30 s")
	return nil
}

func read(path string) string {
	text, _ := os.ReadFile(path) // it comes later
	return string(text)
}

// TestR110TheTestNotices takes verdicts away and wants each to be missed.
func TestR110TheTestNotices(t *testing.T) {
	const invented = `{"domains":[{"domain":"New","commands":[{"name":"go"}],"events":[{"name":"gone"}]},
		{"domain":"Page","types":[{"id":"Place","properties":[{"name":"fileUrls","type":"array"}]}],
		 "commands":[{"name":"navigate","parameters":[{"name":"url","type":"integer"},{"name":"new","type":"string"}]},
		             {"name":"reload","parameters":[{"name":"place","$ref":"Place"}]}]}]}`
	got := Missing([]byte(invented))
	for _, want := range []string{"New.go has no scope", "New.gone has no scope", "Page.navigate: new", "Page.navigate: url", "Page.reload: place.fileUrls"} {
		if !slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, want) }) {
			t.Errorf("nothing begins with %q in:\n%s", want, strings.Join(got, "\n"))
		}
	}
}

// TestR24ScopesOfMethods walks the whole table: what names say must agree with it.
func TestR24ScopesOfMethods(t *testing.T) {
	changes := regexp.MustCompile(`^(add|append|clear|close|copy|create|delete|dispatch|emulate|evaluate|call|execute|fail|fulfill|force|grant|handle|inject|insert|install|invoke|load|move|navigate|override|pause|post|press|reload|remove|replace|replay|reset|resume|run|seek|send|set|simulate|start|stop|submit|synthesize|trigger|uninstall|write)([A-Z]|$)`)
	records := regexp.MustCompile(`(?i)recording$|^tracing\.`) // also what a person types meanwhile
	secret := regexp.MustCompile(`(?i)cookie|credential|postdata|responsebody|interception|storageitem|indexeddb|cachestorage`)
	harmless := map[string]bool{ // of readonly, though their names say otherwise
		"Console.clearMessages":           true, // does nothing (Chromium 156)
		"Log.startViolationsReport":       true, // of the session alone, as the next ones
		"Log.stopViolationsReport":        true,
		"Page.setLifecycleEventsEnabled":  true,
		"Page.startScreencast":            true,
		"Page.stopScreencast":             true,
		"Runtime.runIfWaitingForDebugger": true,
		"Target.setAutoAttach":            true,
		"Target.setDiscoverTargets":       true,
	}
	for _, d := range Domains() {
		for s, names := range d.Methods {
			for _, name := range names {
				method := d.Name + "." + name
				if Of(method) != Scope(s) {
					t.Errorf("%s needs %v, want %v", method, Of(method), Scope(s))
				}
				if changes.MatchString(name) && Scope(s) == Readonly && !harmless[method] {
					t.Errorf("%s changes something by its name, and needs %v", method, Scope(s))
				}
				if records.MatchString(method) && Scope(s) < Privileged && d.Name != "BackgroundService" {
					t.Errorf("%s records by its name, and needs %v", method, Scope(s))
				}
				if secret.MatchString(method) && Scope(s) < Full && name != "setDocumentCookieDisabled" {
					t.Errorf("%s is of cookies, storage or requests by its name, and needs %v", method, Scope(s))
				}
				if s > int(Readonly) {
					want := "Not allowed: " + method + " needs scope " + Scope(s).String()
					if got := Scope(s - 1).Refuse(method); got != want {
						t.Errorf("%v: %q, want %q", Scope(s-1), got, want)
					}
				}
				if why := Scope(s).Refuse(method); why != "" {
					t.Errorf("%v: %q, want nothing", Scope(s), why)
				}
			}
		}
	}
	for _, method := range []string{"Nope.nope", "nonsense", ".get", "get.", "Page.", "page.navigate", "Page.Navigate"} {
		if Of(method) != Privileged {
			t.Errorf("%s is not in the protocol, and needs %v", method, Of(method))
		}
	}
	for _, s := range []Scope{Readonly, Standard, Full} {
		if s.Files() || s.ReadOnly() != (s == Readonly) {
			t.Errorf("%v: files %v, looks on %v", s, s.Files(), s.ReadOnly())
		}
	}
	if why := Readonly.Refuse(strings.Repeat("x", 10_000)); len(why) > 200 {
		t.Errorf("a long method is answered with %d bytes", len(why))
	}
}

func TestR111Read(t *testing.T) {
	for _, tt := range []struct {
		scope          Scope
		method, params string
		want           string // the params, or the error's code and data
	}{
		{Standard, "Page.navigate", `{"url":"http://a/"}`, `{"url":"http://a/"}`},
		{Standard, "Page.navigate", ` { "url" : "http:\u002f/a/" , "new":1 } `, `{"url":"http://a/"}`},
		{Privileged, "Page.navigate", `{"url":"file:///etc/passwd","new":[1, {"a":"\u0062"}]}`, `{"url":"file:///etc/passwd","new":[1,{"a":"b"}]}`},
		{Full, "Page.navigate", `{"url":"file:///etc/passwd"}`, "-32000 Not allowed: only http"},
		{Full, "Page.navigate", `{"url":"\tFI\nLE:///etc/passwd"}`, "-32000 Not allowed: only http"},
		{Full, "Page.navigate", `{"url":"about:version"}`, "-32000 Not allowed: only http"},
		{Full, "Page.navigate", `{"url":"blob:file:///x"}`, "-32000 Not allowed: only http"},
		{Full, "Page.navigate", `{"url":"blob:https://a/x"}`, `{"url":"blob:https://a/x"}`},
		{Full, "Page.navigate", `{"url":"http://a","url":"file:///etc/passwd"}`, "-32602 Failed to deserialize params.url - it is a duplicate"},
		{Full, "Page.navigate", `{"url":"http://a","\u0075rl":"file:///etc/passwd"}`, "-32602 Failed to deserialize params.url - it is a duplicate"},
		{Full, "Page.navigate", `{"URL":"file:///etc/passwd","url":"http://a"}`, "-32602 Failed to deserialize params.URL - it is spelled url"},
		{Full, "Page.navigate", `{"url":["file:///etc/passwd"]}`, "-32602 Failed to deserialize params.url - BINDINGS: string value expected"},
		{Full, "Browser.setDownloadBehavior", `{"behavior":"allow","downloadPath":"/a","DownloadPath":""}`, "-32602 Failed to deserialize params.DownloadPath - it is spelled downloadPath"},
		{Full, "Target.attachToTarget", `{"targetId":"T"}`, `{"targetId":"T","flatten":true}`},
		{Full, "Target.attachToTarget", `{"targetId":"T","flatten":false}`, `{"targetId":"T","flatten":true}`},
		{Full, "Target.attachToTarget", `{}`, `{"flatten":true}`},
		{Readonly, "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`, `{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true}`},
		{Standard, "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`, `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`},
		{Standard, "Input.dispatchDragEvent", `{"type":"drop","x":1.5,"y":2,"data":{"items":[],"dragOperationsMask":1,"files":["/etc/passwd"]}}`, "-32000 Not allowed: Input.dispatchDragEvent with data.files needs scope privileged"},
		{Standard, "Input.dispatchDragEvent", `{"type":"drop","x":1.5,"y":2,"data":{"items":[],"dragOperationsMask":1,"files":[],"more":1}}`, `{"type":"drop","x":1.5,"y":2,"data":{"items":[],"dragOperationsMask":1,"files":[]}}`},
		{Standard, "Input.dispatchDragEvent", `{"type":"drop","x":1,"y":2,"data":{"Files":["/etc/passwd"]}}`, "-32602 Failed to deserialize params.data.Files - it is spelled files"},
		{Standard, "Input.dispatchDragEvent", `{"type":"drop","x":1,"y":2,"data":{"files":[],"files":["/etc/passwd"]}}`, "-32602 Failed to deserialize params.data.files - it is a duplicate"},
		{Full, "Target.createBrowserContext", `{"proxyServer":"http://127.0.0.1:1"}`, "-32000 Not allowed: Target.createBrowserContext with proxyServer"},
		{Readonly, "Page.captureScreenshot", `{"captureBeyondViewport":true}`, "-32000 Not allowed: Page.captureScreenshot with captureBeyondViewport needs scope standard: it resizes"},
		{Readonly, "Page.captureScreenshot", `{"captureBeyondViewport":false}`, `{"captureBeyondViewport":false}`},
		{Standard, "Runtime.evaluate", `{"expression": "1", "x":1,"x":2}`, `{"expression": "1", "x":1,"x":2}`},
		{Privileged, "New.thing", `{"a": 1,"a":2}`, `{"a": 1,"a":2}`},
		{Privileged, "Target.newThing", `{"targetId":"T","TargetID":"U"}`, "-32602 Failed to deserialize params.TargetID - it is spelled targetId"},
		{Privileged, "Target.newThing", `{"a":{"b":1,"b":2}}`, "-32602 Failed to deserialize params.a.b - it is a duplicate"},
	} {
		if err := wire.ReadObject([]byte(tt.params), func(string, []byte) error { return nil }); err != nil {
			t.Fatal(err)
		}
		members, written, err := tt.scope.Read(tt.method, []byte(tt.params))
		got := string(written)
		if err != nil {
			got = strings.TrimSpace(strings.Join([]string{itoa(err.Code), err.Data, err.Message}, " "))
			got = strings.TrimSuffix(strings.Replace(got, "  ", " ", 1), " Invalid parameters")
		}
		if got != tt.want && (err == nil || !strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s %s %s:\n got %s\nwant %s", tt.scope, tt.method, tt.params, got, tt.want)
		}
		for _, m := range members {
			if !json.Valid(m.Value) {
				t.Errorf("%s: the member %s is %q", tt.params, m.Name, m.Value)
			}
		}
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

func TestR115Events(t *testing.T) {
	for _, tt := range []struct {
		scope          Scope
		method, params string
		want           string
	}{
		{Full, "Network.requestWillBeSentExtraInfo", `{"associatedCookies":[{"cookie":{"value":"s"}}],"headers":{"Cookie":"a=s","Accept":"*"}}`, `{"associatedCookies":[{"cookie":{"value":"s"}}],"headers":{"Cookie":"a=s","Accept":"*"}}`},
		{Standard, "Network.requestWillBeSentExtraInfo", `{"associatedCookies":[{"cookie":{"value":"s"}}],"headers":{"Cookie":"a=s","Accept":"*"}}`, `{"associatedCookies":[],"headers":{"Cookie":"","Accept":"*"}}`},
		{Readonly, "Network.requestWillBeSent", `{"request":{"url":"http://a/?access_token=s&b=1","headers":{"authorization":"s"},"postData":"s","hasPostData":true,"postDataEntries":[{"bytes":"cw=="}]}}`, `{"request":{"url":"http://a/?access_token=[REDACTED]&b=1","headers":{"authorization":""},"postData":"","hasPostData":true,"postDataEntries":[]}}`},
		{Standard, "Network.responseReceivedExtraInfo", `{"headers":{"set-cookie":"s\n"},"headersText":"s","blockedCookies":[{}],"exemptedCookies":[{}],"statusCode":200}`, `{"headers":{"set-cookie":""},"headersText":"","blockedCookies":[],"exemptedCookies":[],"statusCode":200}`},
		{Standard, "Network.webSocketFrameSent", `{"response":{"opcode":1,"payloadData":"s"}}`, `{"response":{"opcode":1,"payloadData":""}}`},
		{Standard, "Network.responseReceived", `{"response":{"headers":{"Location":"https://a/?code=s&x=1","X-Api-Key":"s","Server":"x"}}}`, `{"response":{"headers":{"Location":"https://a/?code=[REDACTED]&x=1","X-Api-Key":"","Server":"x"}}}`},
		{Standard, "Network.webSocketWillSendHandshakeRequest", `{"request":{"headers":{"Sec-WebSocket-Protocol":"bearer.s","X-Auth":"s"}}}`, `{"request":{"headers":{"Sec-WebSocket-Protocol":"","X-Auth":""}}}`},
		{Readonly, "Network.requestWillBeSent", `{"request":{"url":"data:,token=s","urlFragment":"#access_token=s"}}`, `{"request":{"url":"data:,token=s","urlFragment":"#access_token=[REDACTED]"}}`},
		{Readonly, "Network.webSocketCreated", `{"url":"ws://u:p@a/?x=1&token=s#id_token=s&x"}`, `{"url":"ws://a/?x=1&token=[REDACTED]#id_token=[REDACTED]&x"}`},
		{Standard, "Page.frameNavigated", `{"frame":{"url":"http://a/?token=s"}}`, `{"frame":{"url":"http://a/?token=s"}}`},
		{Readonly, "Page.frameNavigated", `{"frame":{"url":"http://u:p@a/?token=s#id_token=s&x"}}`, `{"frame":{"url":"http://a/?token=[REDACTED]#id_token=[REDACTED]&x"}}`},
		{Standard, "Fetch.requestPaused", `{}`, ""},
		{Readonly, "Runtime.bindingCalled", `{}`, ""},
		{Full, "New.event", `{}`, ""},
		{Privileged, "New.event", `{}`, "{}"},
	} {
		seen, ok := tt.scope.Event(tt.method, []byte(tt.params))
		if string(seen) != tt.want || ok != (tt.want != "") {
			t.Errorf("%s %s %s:\n got %s %v\nwant %s", tt.scope, tt.method, tt.params, seen, ok, tt.want)
		}
	}
}

func TestNamesAreSplit(t *testing.T) {
	if got := strings.Join(wordsOf("includeCommandLineAPI"), " "); got != "include command line api" {
		t.Errorf("words are %q", got)
	}
	if got := strings.Join(wordsOf("scopeURL"), " "); got != "scope url" {
		t.Errorf("words are %q", got)
	}
}

// TestR111LongNames reads a long name above many values, which must take a time
// that grows with the message: with its square it would take minutes.
func TestR111LongNames(t *testing.T) {
	params := `{"autoAttach":true,"flatten":true,"filter":[{"` + strings.Repeat("a", 1<<20) + `":[` + strings.Repeat("[],", 1<<18) + `[]]}]}`
	if _, written, err := Readonly.Read("Target.setAutoAttach", []byte(params)); err != nil || len(written) != len(params) {
		t.Errorf("%d bytes became %d, %v", len(params), len(written), err)
	}
	if _, _, err := Readonly.Read("Target.setAutoAttach", []byte(`{"filter":[{"`+strings.Repeat("a", 1<<20)+`":{"b":1,"b":2}}]}`)); err == nil || len(err.Data) > 500 {
		t.Error("a long name makes a long error, or none")
	}
}
