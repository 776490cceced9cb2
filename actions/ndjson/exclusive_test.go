package ndjson

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wire"
)

// twoPages is a Client of a hub with two pages. Only commands of the first are held.
type twoPages struct{ page }

func (p twoPages) join(event actions.EventFunc) (actions.Client, error) {
	if _, err := p.page.join(event); err != nil {
		return nil, err
	}
	event("", "Target.targetCreated", []byte(`{"targetInfo":{"targetId":"T2","type":"page","url":"http://app/2","title":"Two"}}`))
	return p, nil
}

func (p twoPages) Send(session, method string, params []byte) func(context.Context) ([]byte, error) {
	if method == "Target.attachToTarget" && strings.Contains(string(params), "T2") {
		return func(context.Context) ([]byte, error) { return nil, wire.ServerError("Target closed") }
	}
	return p.page.Send(session, method, params)
}

// TestVerbsThatMoveAreExclusive has an action on the active page wait while another page is to become
// the active one: that comes after it, for each verb that does so.
func TestVerbsThatMoveAreExclusive(t *testing.T) {
	for name, v := range verbs {
		if !v.moves {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			p := twoPages{page{hold: make(chan struct{})}}
			c := connect(t, actions.Caller{Join: p.join})
			c.Send(`{"id":"0","action":"tab.list"}`) // the first request opens the browser alone
			c.Next()
			c.Send(`{"id":"a","action":"page.snapshot"}`)
			c.Send(`{"id":"b","action":"` + name + `","params":{"page_id":"page-2","url":"http://app/3"}}`)
			synctest.Wait()
			c.Send(`no request`)
			if got := c.Next(); !strings.HasPrefix(got, `{"id":"",`) {
				t.Errorf("%s overtakes: %s", name, got)
			}
			close(p.hold)
			for _, id := range []string{"a", "b"} {
				if got := c.Next(); !strings.HasPrefix(got, `{"id":"`+id+`",`) {
					t.Errorf("%s: got %s, want the answer to %s", name, got, id)
				}
			}
		})
	}
}
