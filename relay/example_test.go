package relay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/targets"
)

// clock is a Host whose one page tells the time.
type clock struct {
	calls chan bridge.Command
}

// Send implements bridge.Host. It is called under the hub's lock, so the answer
// comes from another goroutine.
func (c clock) Send(cmd bridge.Command) error {
	cmd.SessionID = strings.Clone(cmd.SessionID) // valid until Send returns only
	cmd.Params = nil
	c.calls <- cmd
	return nil
}

func (clock) Release(sessionID, targetID string) {}
func (c clock) Close(bridge.Reason)              { close(c.calls) }

func (c clock) serve(events bridge.Events) {
	for cmd := range c.calls {
		events.Result(cmd.Call, cmd.SessionID, []byte(`{"result":{"type":"string","value":"12:00"}}`), nil)
	}
}

// A Host and a Client, both in Go: the Client evaluates in the Host's page.
func Example() {
	hub := relay.New(relay.Options{})
	host := clock{calls: make(chan bridge.Command, 64)}
	events, err := hub.SetHost(host, bridge.Announcement{
		Targets: []targets.Info{{ID: "T1", Title: "Clock", URL: "http://clock.example/"}},
	})
	if err != nil {
		panic(err)
	}
	go host.serve(events)

	client, err := hub.JoinLocal(relay.LocalOptions{})
	if err != nil {
		panic(err)
	}
	defer client.Leave()
	var attached struct{ SessionID string }
	call(client, "", "Target.attachToTarget", `{"targetId":"T1","flatten":true}`, &attached)
	var evaluated struct{ Result struct{ Value string } }
	call(client, attached.SessionID, "Runtime.evaluate", `{"expression":"new Date().toLocaleTimeString()"}`, &evaluated)
	fmt.Println(evaluated.Result.Value)
	// Output: 12:00
}

func call(c *relay.Local, session, method, params string, result any) {
	answer, err := c.Call(context.Background(), session, method, []byte(params))
	if err == nil {
		err = json.Unmarshal(answer, result)
	}
	if err != nil {
		panic(err)
	}
}
