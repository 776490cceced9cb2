package actions_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

// scriptCounter is a Client that counts the calls of the page script.
type scriptCounter struct {
	actions.Client
	calls atomic.Int32
}

func (c *scriptCounter) Send(session, method string, params []byte) func(context.Context) ([]byte, error) {
	if method == "Runtime.callFunctionOn" {
		c.calls.Add(1)
	}
	return c.Client.Send(session, method, params)
}

// longPages are bodies of many nodes: rows, elements that have no role and are written or not by what they have in them,
// texts, and names.
var longPages = map[string]string{
	"rows":     "'<table>' + rows(1500, (i) => `<tr><td>Order ${i}<td><a href=/o/${i}>Open</a><td><button>Ship ${i}</button>`) + '</table>'",
	"wrappers": "rows(800, (i) => `<div><div><div><b>Bold ${i}</b></div></div><div onclick=1 style='cursor:pointer'>${i}</div></div>`)",
	"one deep": "'<div>'.repeat(60) + rows(1200, (i) => `<span>Text ${i}</span><i>i</i><button>Go</button>`) + '</div>'.repeat(60)",
	"texts":    "rows(800, (i) => `<p>${'words '.repeat(30)}<p><em>${i}</em>`)",
	"long":     "rows(400, (i) => `<button>${'name '.repeat(300)}</button><ul><li>${i}<li>${'<b>x</b>'.repeat(i % 9)}</ul>`)",
}

// TestR355APartIsTheBeginning reads the beginning of long pages: it is written as in the whole, each page is read once, however
// many elements get refs, and no further than is asked for.
func TestR355APartIsTheBeginning(t *testing.T) {
	for _, kind := range []actions.TargetKind{actions.BrowserTarget, actions.FrameTarget} {
		var c scriptCounter
		b, err := actions.Open(t.Context(), func(event actions.EventFunc) (_ actions.Client, err error) {
			c.Client, err = joinTo(t, kind)(event)
			return &c, err
		}, actions.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for name, body := range longPages {
			t.Run(string(kind)+"/"+name, func(t *testing.T) {
				p := visit(t, b, "/two.html")
				value(t, p, "void ((rows) => { document.body.innerHTML = "+body+" })((n, f) => Array.from({ length: n }, (_, i) => f(i)).join(''))")
				read := func(o actions.YAMLOptions) string {
					t.Helper()
					before := c.calls.Load()
					s, err := p.SnapshotYAML(t.Context(), o)
					if n := c.calls.Load() - before; err != nil || n != 1 {
						t.Fatalf("%v, the page is read %d times", err, n)
					}
					return s.Text
				}
				whole := read(actions.YAMLOptions{Most: actions.MaxSearched})
				for _, most := range []int{1 << 10, 3000, 10_000, 20_000, 40_000} {
					part := read(actions.YAMLOptions{Most: most})
					kept, mark := part[:strings.LastIndex(part, "\n")+1], part[strings.LastIndex(part, "\n")+1:]
					if want := fmt.Sprintf("# cut: the snapshot is longer than %d KiB", most>>10); mark != want || !strings.HasPrefix(whole, kept) || len(part) > most || len(part) < most*9/10-1500 {
						t.Errorf("%d of %d bytes: %d bytes that end with %q", most, len(whole), len(part), part[max(len(part)-200, 0):])
					}
				}
			})
		}
	}
}
