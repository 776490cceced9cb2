package chrome

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mailru/easyjson"
)

// plainAttachment is attachment without its methods: encoding/json decodes it.
type plainAttachment struct {
	SessionID string    `json:"sessionId"`
	TargetID  string    `json:"targetId"`
	Info      plainInfo `json:"targetInfo"`
}

type plainInfo info

type plainList struct {
	Infos []plainInfo `json:"targetInfos"`
}

// targetMessages are an event and an answer as Chromium 156 sends them.
func targetMessages() (attached, targets []byte) {
	one := func(n int) string {
		return fmt.Sprintf(`{"targetId":"%032X","type":"page","title":"Caf\u00e9 %d","url":"https://app.example/path/%d?q=1","attached":true,"canAccessOpener":false,"browserContextId":"%032X","pid":%d}`, n, n, n, n, n)
	}
	list := make([]string, 50)
	for i := range list {
		list[i] = one(i)
	}
	attached = []byte(`{"sessionId":"0123456789ABCDEF0123456789ABCDEF","targetInfo":` + one(1) + `,"waitingForDebugger":true}`)
	return attached, []byte(`{"targetInfos":[` + strings.Join(list, ",") + `]}`)
}

func TestTargetMessages(t *testing.T) {
	attached, targets := targetMessages()
	var a attachment
	var plain plainAttachment
	if easyjson.Unmarshal(attached, &a) != nil || json.Unmarshal(attached, &plain) != nil || a.SessionID != plain.SessionID || a.Info != info(plain.Info) || a.Info.Title != "Café 1" {
		t.Errorf("read %+v and %+v", a, plain)
	}
	var l targetList
	var plains plainList
	if easyjson.Unmarshal(targets, &l) != nil || json.Unmarshal(targets, &plains) != nil || len(l.Infos) != 50 {
		t.Errorf("read %d and %d targets", len(l.Infos), len(plains.Infos))
	}
	for i := range l.Infos {
		if l.Infos[i] != info(plains.Infos[i]) {
			t.Errorf("target %d: %+v and %+v", i, l.Infos[i], plains.Infos[i])
		}
	}
	for _, bad := range []string{"", "[]", `{"targetInfo":1}`, `{"sessionId":2}`, `{"targetInfo":{"url":{}}}`, `{"sessionId":"a"`} {
		if easyjson.Unmarshal([]byte(bad), &a) == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// BenchmarkTargetMessages compares easyjson with encoding/json, side by side.
func BenchmarkTargetMessages(b *testing.B) {
	attached, targets := targetMessages()
	for _, bb := range []struct {
		name   string
		decode func() error
	}{
		{"attachedToTarget/easyjson", func() error { return easyjson.Unmarshal(attached, new(attachment)) }},
		{"attachedToTarget/encoding", func() error { return json.Unmarshal(attached, new(plainAttachment)) }},
		{"getTargets50/easyjson", func() error { return easyjson.Unmarshal(targets, new(targetList)) }},
		{"getTargets50/encoding", func() error { return json.Unmarshal(targets, new(plainList)) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := bb.decode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
