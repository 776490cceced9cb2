package chrome

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// messages are what a browser may send, and what it may not.
var messages = []string{
	`{"id":7,"result":{},"sessionId":"S"}`,
	`{"method":"A.b","params":{"x":"\"}\\","y":[{"z":"]"}]},"sessionId":"S"}`,
	` { "id" : -7 , "error" : { "code" : -32000 } } `,
	"{\n\t\"id\": 7,\r\n\"result\": {\"a\": [1, 2]}}\n",
	`{"sessionId":"S","other":null,"n":1.5e3,"t":true,"id":1,"result":{"s":"\\\\"}}`,
	`{"id":1,"result":{"s":"\\\""}}`,
	`{"id":1,"result":`, `{"id":1`, `{"id":`, `{"id"`, `{"id`, `{`, ``, `[]`, `"x"`, `7`, `{"id":}`, `{:1}`, `{"id":1,}`, `{"id":1}}`, `{"id":"}`,
	`{"id" 1}`, `{"id":1 "x":2}`, `{"id":]}`, `{"id":"\`, `{"id":1]`,
}

// FuzzSplit checks that what internal/wire reads in a message is what split
// reads, and that it survives all others.
func FuzzSplit(f *testing.F) {
	for _, m := range messages {
		f.Add([]byte(m))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		var got message
		ok := got.parse(frame)
		var want message
		empty, escaped := true, false
		err := wire.ReadObject(frame, func(key string, value []byte) error {
			empty = false
			quoted := wire.AppendString(nil, key)
			escaped = escaped || !bytes.Contains(frame, quoted)
			want.set(quoted, value)
			return nil
		})
		if err != nil || empty || escaped {
			return
		}
		if !ok {
			t.Fatalf("%q was not taken", frame)
		}
		for _, part := range []struct{ got, want []byte }{
			{got.id, want.id},
			{got.result, want.result},
			{got.cdpErr, want.cdpErr},
			{got.method, want.method},
			{got.params, want.params},
			{got.sessionID, want.sessionID},
		} {
			if !bytes.Equal(part.got, part.want) {
				t.Fatalf("%q: part %q, want %q", frame, part.got, part.want)
			}
		}
	})
}

func TestSplitRefusesWhatIsCutShort(t *testing.T) {
	whole := `{"id":7,"result":{"a":[1,"}"]},"sessionId":"S"}`
	var m message
	if !m.parse([]byte(whole)) || string(m.result) != `{"a":[1,"}"]}` || string(m.sessionID) != `"S"` {
		t.Errorf("split read %+v", m)
	}
	for n := range whole {
		if m.parse([]byte(whole[:n])) {
			t.Errorf("split took %q", whole[:n])
		}
	}
}

// A document tree has two levels of JSON for one of its own.
func TestSplitTakesDeepTrees(t *testing.T) {
	deep := strings.Repeat(`{"children":[`, 5000) + strings.Repeat(`]}`, 5000)
	var m message
	if !m.parse([]byte(`{"id":1,"result":`+deep+`}`)) || string(m.result) != deep {
		t.Error("a tree of 5,000 levels was not taken")
	}
}

func BenchmarkSplit(b *testing.B) {
	for name, frame := range map[string]string{
		"event":      `{"method":"Network.dataReceived","params":{"requestId":"1000.2","dataLength":512},"sessionId":"UP"}`,
		"screenshot": `{"id":1,"result":{"data":"` + strings.Repeat("A", 1<<20) + `"},"sessionId":"UP"}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(frame)))
			b.ReportAllocs()
			var m message
			frame := []byte(frame)
			for b.Loop() {
				if !m.parse(frame) {
					b.Fatal("not taken")
				}
			}
		})
	}
}

// TestR251AnswersOfAnotherShape has a browser answer with what is no object, and send events
// without a good name or params: each command gets one answer, and no Client hears of the
// events.
func TestR251AnswersOfAnotherShape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		const invalid = `error {"code":-32000,"message":"Invalid answer from the browser: it may be of another kind than Chromium, or have failed; try again"}`
		for _, member := range []string{
			`"result":5`, `"result":[]`, `"result":"x"`, `"result":null`, `"error":5`, `"error":"m"`, `"error":[]`, `"result":{},"error":null`,
		} {
			r.must("a", "Page.enable", `{}`)
			r.says(`{"id":` + r.numberOf("Page.enable") + `,` + member + `,"sessionId":"A"}`)
			r.wantTold("a " + fmt.Sprint(r.hub.calls) + " " + invalid)
			r.forget()
		}
		for _, event := range []string{
			`"method":"Page","params":{}`, `"method":"a b.c","params":{}`, `"method":"Page.x\u0022","params":{}`, `"method":5,"params":{}`,
			`"method":"Page.x","params":[]`, `"method":"Page.x","params":5`, `"method":"` + strings.Repeat("a.b", 100) + `"`,
		} {
			r.says(`{` + event + `,"sessionId":"A"}`)
			r.wantTold()
		}
		r.says(`{"method":"Page.x","sessionId":"A"}`)
		r.wantTold("a < Page.x {}")
	})
}

// TestR250TargetsOfABrowserAreBounded has a browser name more targets than any has, with
// long texts, and with ids that are too long.
func TestR250TargetsOfABrowserAreBounded(t *testing.T) {
	h := newHost(&fakeBrowser{}, &Options{Log: zap.NewNop()}, nil, nil)
	long := strings.Repeat("é", targets.MaxURL)
	for n := range maxTargets + 10 {
		if n == 3 {
			long = ""
		}
		h.rootEvent("Target.targetCreated", fmt.Appendf(nil, `{"targetInfo":{"targetId":"T%d","type":"tab","title":%q,"url":%q}}`, n, long, "data:"+long))
	}
	if len(h.targets) != maxTargets {
		t.Errorf("%d targets are known, want %d", len(h.targets), maxTargets)
	}
	for id, one := range h.targets {
		if len(one.Title) > targets.MaxTitle || len(one.URL) > targets.MaxURL {
			t.Errorf("%s has a title of %d bytes and a URL of %d", id, len(one.Title), len(one.URL))
		}
	}
	long = strings.Repeat("x", targets.MaxID+1)
	for _, member := range []string{"targetId", "type", "openerId", "browserContextId", "parentFrameId", "parentId"} {
		info := `"targetInfo":{"targetId":"T1","type":"page","` + member + `":"` + long + `"}`
		if _, err := readAttachment([]byte(`{` + info + `}`)); err == nil {
			t.Errorf("a %s of %d bytes is taken", member, len(long))
		}
	}
	for _, member := range []string{"targetId", "sessionId"} {
		if _, err := readAttachment([]byte(`{"` + member + `":"` + long + `"}`)); err == nil {
			t.Errorf("a %s of %d bytes is taken", member, len(long))
		}
	}
}
