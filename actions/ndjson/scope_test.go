package ndjson

import (
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

// TestR24NDJSONReadersOnlyRead refuses to a token of scope readonly every action
// but those that change nothing, before any work.
func TestR24NDJSONReadersOnlyRead(t *testing.T) {
	reads := strings.Fields("page.snapshot page.wait page.screenshot page.content page.network.list tab.list session.info session.list")
	joined := false
	c := connect(t, actions.Caller{Scope: "readonly", Join: func(event actions.EventFunc) (actions.Client, error) {
		joined = true
		return page{}.join(event)
	}})
	for action, v := range verbs {
		if v.reads != slices.Contains(reads, action) {
			t.Errorf("%s reads: %v", action, v.reads)
		}
		if v.reads {
			continue
		}
		c.Send(`{"id":"1","action":"` + action + `","params":{"page_id":7}}`)
		if got, want := c.Next(), `{"id":"1","success":false,"error":"permission denied: `+action+` needs scope standard"}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if joined {
		t.Error("the hub was joined for what was refused")
	}
}

// TestR24NDJSONReadersHaveAConnectionOfTheirOwn has a reader join as one, and
// nobody else.
func TestR24NDJSONReadersHaveAConnectionOfTheirOwn(t *testing.T) {
	for scope, want := range map[string]string{"readonly": "reader", "standard": "any", "": "any"} {
		as := ""
		join := func(name string) actions.Join {
			return func(event actions.EventFunc) (actions.Client, error) {
				as = name
				return page{}.join(event)
			}
		}
		c := connect(t, actions.Caller{Scope: scope, Join: join("any"), Reader: join("reader")})
		c.Send(`{"id":"1","action":"session.info"}`)
		if got := c.Next(); !strings.Contains(got, `"pages":1`) || as != want {
			t.Errorf("scope %q: %s, joined as %q, want %q", scope, got, as, want)
		}
	}
}
