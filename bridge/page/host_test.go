package page

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/targets"
)

const readyT1 = `{"kind":"ready","v":1,"targets":[{"targetId":"T1","title":"one","url":"http://a/"}]}`

func TestPageReceives(t *testing.T) {
	deep := strings.Repeat("[", 300) + strings.Repeat("]", 300)
	const invalid = `result 7 S {"code":-32000,"message":"Invalid answer from the Host: host.js and the hub may be of different versions; load the page again"}`
	tests := []struct {
		name string
		in   string
		want string // "" when nothing comes of it
	}{
		{"created", `{"kind":"targetCreated","target":{"targetId":"T2","title":"t","url":"u"}}`, "created {T2 t u }"},
		{"created without target", `{"kind":"targetCreated"}`, ""},
		{"created without id", `{"kind":"targetCreated","target":{"title":"t"}}`, ""},
		{"created, title of another type", `{"kind":"targetCreated","target":{"targetId":"T2","title":{}}}`, ""},
		{"created, long id", `{"kind":"targetCreated","target":{"targetId":"` + strings.Repeat("a", 257) + `"}}`, ""},
		{"changed", `{"target":{"url":"u","targetId":"T1"},"kind":"targetInfoChanged"}`, "changed {T1  u }"},
		{"long title is cut between characters", `{"kind":"targetInfoChanged","target":{"targetId":"T1","title":"a` +
			strings.Repeat("é", 2048) + `"}}`, "changed {T1 a" + strings.Repeat("é", 2047) + "  }"},
		{"destroyed", `{"kind":"targetDestroyed","targetId":"T1"}`, "gone T1"},
		{"destroyed, escaped", `{"\u006bind":"target\u0044estroyed","targetId":"T\u0031"}`, "gone T1"},
		{"destroyed, id of another type", `{"kind":"targetDestroyed","targetId":{"toString":1}}`, ""},
		{
			"response", `{"kind":"response","sessionId":"S","id":7,"result":{"n":1e400,"n":18446744073709551616,"s":"\u0041"}}`,
			`result 7 S {"n":1e400,"n":18446744073709551616,"s":"\u0041"}`,
		},
		{"error", `{"kind":"response","sessionId":"S","id":7,"error":{"code":-32000,"message":"m"}}`, `result 7 S {"code":-32000,"message":"m"}`},
		{"error and result", `{"kind":"response","sessionId":"S","id":7,"result":{},"error":{"code":1}}`, `result 7 S {"code":1}`},
		{"R-251 error and a result of another type", `{"kind":"response","sessionId":"S","id":7,"result":5,"error":{"code":1}}`, `result 7 S {"code":1}`},
		{"no result", `{"kind":"response","sessionId":"S","id":7}`, `result 7 S {}`},
		{"result null", `{"kind":"response","sessionId":"S","id":7,"result":null,"error":null}`, `result 7 S {}`},
		{
			"result of another type", `{"kind":"response","sessionId":"S","id":7,"result":5}`,
			`result 7 S {"code":-32000,"message":"Invalid answer from the Host: host.js and the hub may be of different versions; load the page again"}`,
		},
		{
			"result that is not JSON", `{"kind":"response","sessionId":"S","id":7,"result":{"a":tru}}`,
			`result 7 S {"code":-32000,"message":"Invalid answer from the Host: host.js and the hub may be of different versions; load the page again"}`,
		},
		{
			"result nested too deep", `{"kind":"response","sessionId":"S","id":7,"result":{"a":` + deep + `}}`,
			`result 7 S {"code":-32000,"message":"Invalid answer from the Host: host.js and the hub may be of different versions; load the page again"}`,
		},
		{"R-251 error that is a number", `{"kind":"response","sessionId":"S","id":7,"error":5}`, invalid},
		{"R-251 error that is a string", `{"kind":"response","sessionId":"S","id":7,"error":"m"}`, invalid},
		{"R-251 error that is a list", `{"kind":"response","sessionId":"S","id":7,"error":[]}`, invalid},
		{"R-251 error that is false", `{"kind":"response","sessionId":"S","id":7,"error":false}`, invalid},
		{"R-251 error that is no object, and a result", `{"kind":"response","sessionId":"S","id":7,"result":{},"error":5}`, invalid},
		{"R-251 result that is a list", `{"kind":"response","sessionId":"S","id":7,"result":[]}`, invalid},
		{"R-251 browserResult with an error that is no object", `{"kind":"browserResult","id":7,"error":"m"}`, `result 7  {"code":-32000,"message":"Invalid answer from the Host: host.js and the hub may be of different versions; load the page again"}`},
		{"R-251 browserResult that is not JSON", `{"kind":"browserResult","id":7,"result":{"a":tru}}`, `result 7  {"code":-32000,"message":"Invalid answer from the Host: host.js and the hub may be of different versions; load the page again"}`},
		{"R-251 event with an id that is not JSON", `{"kind":"event","sessionId":"S","id":7,"params":{"a":}}`, ""},
		{"response without id", `{"kind":"response","sessionId":"S","result":{}}`, ""},
		{"response, id a string", `{"kind":"response","sessionId":"S","id":"7","result":{}}`, ""},
		{"browserResult", `{"kind":"browserResult","id":8,"result":{"targetId":"T"}}`, `result 8  {"targetId":"T"}`},
		{"event", `{"kind":"event","targetId":"T1","method":"A.b","params":{"x":[1, 2]}}`, `event T1 A.b {"x":[1, 2]}`},
		{"event without params", `{"kind":"event","targetId":"T1","method":"A.b"}`, `event T1 A.b {}`},
		{"event for one session, not negotiated", `{"kind":"event","targetId":"T1","method":"A.b","params":{},"sessionId":"S"}`, `event T1 A.b {}`},
		{"event, params of another type", `{"kind":"event","targetId":"T1","method":"A.b","params":[]}`, ""},
		{"event, method is none", `{"kind":"event","targetId":"T1","method":"a b","params":{}}`, ""},
		{"event without target", `{"kind":"event","method":"A.b","params":{}}`, ""},
		{"event that is not JSON", `{"kind":"event","targetId":"T1","method":"A.b","params":{"a":}}`, ""},
		{"unknown kind", `{"kind":"busy","targetId":"T1"}`, ""},
		{"no kind", `{}`, ""},
		{"no object", `[]`, ""},
		{"empty", ``, ""},
		{"ready without targets", `{"kind":"ready","v":1}`, ""},
		{"ready, targets of another type", `{"kind":"ready","v":1,"targets":{}}`, ""},
		{"ready of another version", `{"kind":"ready","v":2,"targets":[]}`, ""},
		{"ready, version of another type", `{"kind":"ready","v":"1","targets":[]}`, ""},
		{"ready without a version", `{"kind":"ready","targets":[]}`, "ready again [] |"},
		{"ready again", readyT1, "ready again [{T1 one http://a/ }] |"},
		{"ready, some targets bad", `{"kind":"ready","v":1,"targets":[5,{"targetId":""},{"targetId":"T3"},null,{"url":"u"}]}`, "ready again [{T3   }] |"},
		{"ready with a browser", `{"kind":"ready","v":1,"targets":[],"browser":{"product":"Chrome/156","userAgent":"` +
			strings.Repeat("a", 1025) + `"}}`, "ready again [] Chrome/156|"},
	}
	p := connect(t)
	p.say(`{"kind":"event","targetId":"T1","method":"A.b","params":{}}`)   // before ready: dropped
	p.say(`{"kind":"response","sessionId":"S","id":7,"result":{"a":tru}}`) // no hub has asked yet
	p.say(readyT1)
	want(t, p.hub.lines, "ready [{T1 one http://a/ }] |")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { p.saysOne(t, tt.in, tt.want) })
	}
	p.far.Close(wsconn.ReasonNormal)
	want(t, p.hub.lines, "host gone")
}

func TestPageManyTargets(t *testing.T) {
	var b strings.Builder
	for i := range targets.MaxCount + 1 {
		fmt.Fprintf(&b, `,{"targetId":"T%d"}`, i)
	}
	list, refused, ok := readTargets([]byte("[" + b.String()[1:] + "]"))
	if len(list) != targets.MaxCount || refused != 1 || !ok {
		t.Errorf("%d targets, %d refused, %v; want %d, 1, true", len(list), refused, ok, targets.MaxCount)
	}
}

func TestPageSends(t *testing.T) {
	p := connect(t)
	p.say(`{"kind":"ready","v":1,"targets":[],"features":["busy","sessions",5],"handles":["Target.closeTarget","Browser.close",1]}`)
	want(t, p.hub.lines, "ready [] |")
	h := p.hub.host
	if !h.(bridge.Lifecycle).Handles("Target.closeTarget") || h.(bridge.Lifecycle).Handles("Browser.close") || h.(bridge.Lifecycle).Handles("Target.createTarget") {
		t.Error("the host handles other methods than Target.closeTarget")
	}
	h.(bridge.Announcer).Attached(bridge.Attachment{SessionID: "S", TargetID: `T"1`, DialogKey: "K", Account: "A"})
	for _, c := range []bridge.Command{
		{Call: 7, SessionID: "S", TargetID: `T"1`, Method: "A.b", Params: []byte(`{"n":1e400}`)},
		{Call: 8, SessionID: "S", TargetID: "T", Method: "A.b"},
		{Call: 9, Method: "Target.closeTarget", Params: []byte(`{}`)},
	} {
		if err := h.Send(c); err != nil {
			t.Errorf("Send: %v", err)
		}
	}
	h.Release("S", "T")
	want(t, p.frames,
		`{"kind":"accepted","features":["sessions"]}`,
		`{"kind":"attached","sessionId":"S","targetId":"T\"1"}`,
		`{"kind":"command","sessionId":"S","targetId":"T\"1","id":7,"method":"A.b","params":{"n":1e400}}`,
		`{"kind":"command","sessionId":"S","targetId":"T","id":8,"method":"A.b","params":{}}`,
		`{"kind":"browserRequest","id":9,"method":"Target.closeTarget","params":{}}`,
		`{"kind":"detached","sessionId":"S","targetId":"T"}`)

	p.say(`{"kind":"event","targetId":"T","method":"A.b","params":{},"sessionId":"S"}`)
	want(t, p.hub.lines, "session event S A.b {}")

	p.say(readyT1) // version 1 from here on
	want(t, p.hub.lines, "ready again [{T1 one http://a/ }] |")
	if h.(bridge.Lifecycle).Handles("Target.closeTarget") {
		t.Error("handles of the first ready are still in force")
	}
	h.(bridge.Announcer).Attached(bridge.Attachment{SessionID: "S2", TargetID: "T1", DialogKey: "K"})
	h.Release("S2", "T1")
	want(t, p.frames, `{"kind":"detached","sessionId":"S2","targetId":"T1"}`)

	h.Close(bridge.ReasonReplaced)
	want(t, p.ended, wsconn.Reason{Code: 1008, Text: wsconn.ReasonReplaced.Text})
	want(t, p.hub.lines, "host lost")
}

// A Host with every extension.
func TestPageExtensions(t *testing.T) {
	p := connect(t)
	p.say(`{"kind":"ready","v":1,"targets":[{"targetId":"T2","openerId":"T1"}],"features":["uploads","eval","dialog","handles+","sessions"],` +
		`"handles":["Storage.*","Browser.getWindowForTarget","Target.activateTarget","Target.*","Target.getTargets","not a method",".*",1]}`)
	want(t, p.hub.lines, "ready [{T2   T1}] |")
	h := p.hub.host
	for method, handled := range map[string]bool{
		"Storage.getCookies": true, "Browser.getWindowForTarget": true, "Target.activateTarget": true,
		"Target.getTargets": false, "Target.createTarget": false, "Browser.getVersion": false, "Storage": false,
	} {
		if got := h.(bridge.Lifecycle).Handles(method); got != handled {
			t.Errorf("Handles(%s) = %v, want %v", method, got, handled)
		}
	}
	if !h.(bridge.Uploads).TakesFiles() {
		t.Error("the host takes no files, though it said so")
	}
	h.(bridge.Announcer).Attached(bridge.Attachment{SessionID: "S", TargetID: "T2", DialogKey: "KEY"})
	p.say(`{"kind":"evalput","key":"K\u0031","source":"f(\"x\")"}`)
	want(t, p.hub.lines, `script K1 f("x")`)
	p.say(`{"kind":"evalput","key":"taken","source":""}`)
	want(t, p.hub.lines, "script taken ")
	p.say(`{"kind":"evalput","key":"K2"}`)
	p.say(`{"kind":"evalput","key":5,"source":"1"}`)
	p.say(`{"kind":"evalput","key":"K3","source":"1"}`)
	want(t, p.hub.lines, "script K3 1")
	want(t, p.frames,
		`{"kind":"accepted","features":["sessions","handles+","dialog","eval","uploads"]}`,
		`{"kind":"attached","sessionId":"S","targetId":"T2","dialogKey":"KEY"}`,
		`{"kind":"evalok","key":"K\u0031"}`,
		`{"kind":"evalok","key":"K3"}`)

	p.say(readyT1) // version 1 from here on
	want(t, p.hub.lines, "ready again [{T1 one http://a/ }] |")
	if h.(bridge.Lifecycle).Handles("Storage.getCookies") || h.(bridge.Uploads).TakesFiles() {
		t.Error("abilities of the first ready are still in force")
	}
	p.say(`{"kind":"evalput","key":"K4","source":"1"}`)
	p.say(`{"kind":"targetDestroyed","targetId":"end"}`)
	want(t, p.hub.lines, "gone end")
}

// TestPageEventsOfSessions lets a Host name the sessions of an event.
func TestPageEventsOfSessions(t *testing.T) {
	many := `["S"` + strings.Repeat(`,"S"`, maxEventSessions) + `]`
	tests := []struct {
		name string
		in   string
		want string // "" when nothing comes of it
	}{
		{"several", `"sessionIds":["S","\u0053\n",""]`, `event of ["S" "S\n" ""] A.b {"x":1}`},
		{"one", `"sessionIds":["S"]`, `event of ["S"] A.b {"x":1}`},
		{"none", `"sessionIds":[]`, `event of [] A.b {"x":1}`},
		{"and one", `"sessionIds":["S"],"sessionId":"S2"`, `session event S2 A.b {"x":1}`},
		{"null", `"sessionIds":null`, `event T1 A.b {"x":1}`},
		{"of another type", `"sessionIds":"S"`, ""},
		{"with a number", `"sessionIds":["S",7]`, ""},
		{"with a list", `"sessionIds":[["S"]]`, ""},
		{"too many", `"sessionIds":` + many, ""},
	}
	p := connect(t)
	const ready = `{"kind":"ready","v":1,"targets":[],"features":["sessions","sessionIds"]}`
	p.say(ready)
	want(t, p.hub.lines, "ready [] |")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.saysOne(t, `{"kind":"event","targetId":"T1","method":"A.b","params":{"x":1},`+tt.in+`}`, tt.want)
		})
	}
	want(t, p.frames, `{"kind":"accepted","features":["sessions","sessionIds"]}`)
	p.say(strings.Replace(ready, `,"sessionIds"`, "", 1))
	want(t, p.hub.lines, "ready again [] |")
	p.say(`{"kind":"event","targetId":"T1","method":"A.b","params":{},"sessionIds":["S"]}`)
	want(t, p.hub.lines, `event T1 A.b {}`) // a member that this Host does not know
}

// TestR58PagePayloadLast lets a Host pass on what its pages say as it is, with members of the page's own behind it.
func TestR58PagePayloadLast(t *testing.T) {
	tests := []struct {
		name, in string
		want     string // "" when nothing comes of it
	}{
		{"event", `{"kind":"event","targetId":"T1","sessionId":"S","method":"A.b","params":{"x":1}}`, `session event S A.b {"x":1}`},
		{"event of another session", `{"kind":"event","targetId":"T1","sessionId":"S","method":"A.b","params":{},"sessionId":"S2"}`, ""},
		{"event that opens", `{"kind":"event","targetId":"T1","sessionId":"S","method":"A.b","params":null,"opens":{"sessionId":"S2"}}`, ""},
		{"event with unknown members", `{"kind":"event","targetId":"T1","sessionId":"S","method":"A.b","params":{},"x":1}`, ""},
		{"answer", `{"kind":"response","sessionId":"S","id":7,"result":{"a":1}}`, `result 7 S {"a":1}`},
		{"answer to another command", `{"kind":"response","sessionId":"S","id":7,"result":{},"id":8}`, "result 7 S " + string(invalidAnswer)},
		{"answer with result and error", `{"kind":"response","sessionId":"S","id":7,"error":{"code":1},"result":{}}`, "result 7 S " + string(invalidAnswer)},
		{"answer that ends too soon", `{"kind":"response","sessionId":"S","id":7,"result":{}},"a":{}}`, "result 7 S " + string(invalidAnswer)},
	}
	p := connect(t)
	p.say(`{"kind":"ready","v":1,"targets":[],"features":["sessions","payloadLast"]}`)
	want(t, p.hub.lines, "ready [] |")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { p.saysOne(t, tt.in, tt.want) })
	}
}

func TestPageShutdown(t *testing.T) {
	p := connect(t)
	p.say(readyT1)
	want(t, p.hub.lines, "ready [{T1 one http://a/ }] |")
	p.hub.host.Close(bridge.ReasonShutdown)
	want(t, p.ended, wsconn.ReasonShutdown)
}

func TestReadNames(t *testing.T) {
	if got := readNames([]byte(`["b",1,"x","a","b"]`), "a", "b", "c"); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q, want a and b once each", got)
	}
}

func TestPageWithoutReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := wsconn.Pipe(Limits(), wsconn.Limits{})
		ended := make(chan wsconn.Reason, 2)
		hub := &ledger{lines: make(chan string, 1)}
		start := time.Now()
		go func() { ended <- servesPage(t.Context(), t, near, hub) }()
		go func() { ended <- far.Serve(t.Context(), func([]byte) {}) }()
		far.Deliver(wire.Frame{Body: []byte(`{"kind":"ready","v":1}`)})    // refused
		told := wsconn.Reason{Code: 1008, Text: wsconn.ReasonNoReady.Text} // nobody knows its version
		for range 2 {
			if r := <-ended; r != wsconn.ReasonNoReady && r != told {
				t.Errorf("ended with %v, want %v here and %v there", r, wsconn.ReasonNoReady, told)
			}
		}
		if d := time.Since(start); d < 10*time.Second || d > 11*time.Second {
			t.Errorf("ended after %v, want 10 s", d)
		}
		if len(hub.lines) > 0 {
			t.Errorf("the hub was told %q", <-hub.lines)
		}
	})
}

func TestPageFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := wsconn.Pipe(wsconn.Limits{MaxPending: 1000}, wsconn.Limits{})
		hub := &ledger{lines: make(chan string, 10)}
		done := make(chan struct{}, 2)
		go func() { servesPage(t.Context(), t, near, hub); done <- struct{}{} }()
		block := make(chan struct{})
		go func() { far.Serve(t.Context(), func([]byte) { <-block }); done <- struct{}{} }()
		far.Deliver(wire.Frame{Body: []byte(readyT1)})
		<-hub.lines
		var err error
		sent := 0
		for ; err == nil && sent < 1000; sent++ {
			err = hub.host.Send(bridge.Command{Call: 1, SessionID: "S", TargetID: "T", Method: "A.b", Params: []byte(`{"x":"` + strings.Repeat("a", 200) + `"}`)})
			synctest.Wait()
		}
		if !errors.Is(err, errBusy) || sent < 3 {
			t.Errorf("after %d commands Send returned %v, want %v", sent, err, errBusy)
		}
		close(block)
		synctest.Wait()
		if err := hub.host.Send(bridge.Command{Call: 2, SessionID: "S", TargetID: "T", Method: "A.b"}); err != nil {
			t.Errorf("when the host reads again Send returned %v", err)
		}
		far.Close(wsconn.ReasonNormal)
		<-done
		<-done
	})
}
