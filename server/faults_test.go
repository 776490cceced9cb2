package server

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// session is the id in a Target.attachedToTarget event or in the answer to
// Target.attachToTarget.
func sessionIn(t *testing.T, message string) string {
	t.Helper()
	var m struct {
		Params, Result struct{ SessionID string }
	}
	if err := json.Unmarshal([]byte(message), &m); err != nil {
		t.Fatalf("%s: %v", message, err)
	}
	return m.Params.SessionID + m.Result.SessionID
}

func (p *far) attach() string {
	p.t.Helper()
	p.send(`{"id":1000,"method":"Target.attachToTarget","params":{"targetId":"T1","flatten":true}}`)
	return sessionIn(p.t, p.until(`"id":1000`))
}

// TestActions opens and closes a page over plain HTTP.
func TestActions(t *testing.T) {
	s := start(t, nil)
	host := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
	host.send(`{"kind":"ready","v":1,"targets":[],"handles":["Target.createTarget","Target.closeTarget"]}`)
	s.await(t, `"hostConnected":true`)
	ask := func(method, path string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.addr(false)+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if status, body := ask(http.MethodGet, "/json/new?http://app/new"); status != 405 || !strings.HasPrefix(body, "Using unsafe HTTP verb GET") {
		t.Errorf("GET /json/new: %d %s", status, body)
	}
	go func() {
		select {
		case m := <-host.Got:
			if m != `{"kind":"browserRequest","id":1,"method":"Target.createTarget","params":{"url":"http://app/new"}}` {
				t.Errorf("the Host got %s", m)
			}
		case <-time.After(within):
			t.Error("the Host was not asked")
		}
		host.send(`{"kind":"targetCreated","target":{"targetId":"N","title":"New","url":"http://app/new"}}`)
		host.send(`{"kind":"browserResult","id":1,"result":{"targetId":"N"}}`)
	}()
	if status, body := ask(http.MethodPut, "/json/new?http://app/new"); status != 200 || !strings.Contains(body, `"id":"N"`) {
		t.Errorf("PUT /json/new: %d %s", status, body)
	}
	go func() {
		host.until("Target.createTarget")
		host.send(`{"kind":"browserResult","id":2,"error":{"code":-32000,"message":"this page opens no others"}}`)
	}()
	if status, body := ask(http.MethodPut, "/json/new"); status != 500 || body != "Could not create new page: this page opens no others" {
		t.Errorf("PUT /json/new that fails: %d %s", status, body)
	}
	if status, body := ask(http.MethodGet, "/json/activate/N"); status != 200 || body != "Target activated" {
		t.Errorf("activate: %d %s", status, body)
	}
	if status, body := ask(http.MethodGet, "/json/close/nothing"); status != 404 || body != "No such target id: nothing" {
		t.Errorf("close nothing: %d %s", status, body)
	}
}
