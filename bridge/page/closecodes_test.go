package page

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestCloseCodes replaces Hosts that know the close codes of docs/bridge.md, and
// others, which get that of version 1.
func TestCloseCodes(t *testing.T) {
	const known = `{"kind":"ready","v":1,"targets":[],"features":["codes"]}`
	for name, tt := range map[string]struct {
		ready []string
		code  uint16
	}{
		"feature":                {[]string{known}, 4500},
		"another feature":        {[]string{`{"kind":"ready","v":1,"targets":[],"features":["sessions"]}`}, 1008},
		"version 1":              {[]string{`{"kind":"ready","v":1,"targets":[]}`}, 1008},
		"version 1 in the end":   {[]string{known, `{"kind":"ready","v":1,"targets":[]}`}, 1008},
		"the feature in the end": {[]string{`{"kind":"ready","v":1,"targets":[]}`, known}, 4500},
	} {
		p := connect(t)
		for _, message := range tt.ready {
			p.say(message)
			<-p.hub.lines
		}
		p.hub.host.Close(bridge.ReasonReplaced)
		if got, want := <-p.ended, (wsconn.Reason{Code: tt.code, Text: wsconn.ReasonReplaced.Text}); got != want {
			t.Errorf("%s: closed with %v, want %v", name, got, want)
		}
	}
}

// refusing is a hub that takes no Host.
type refusing struct {
	bridge.Hub
	err error
}

func (r refusing) SetHost(bridge.Host, bridge.Announcement) (bridge.Events, error) { return nil, r.err }

// TestR251RefusedHostsHearWhy has a hub refuse Hosts for each kind of reason.
func TestR251RefusedHostsHearWhy(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want wsconn.Reason
	}{
		"the place is taken": {fmt.Errorf("no: %w", bridge.ErrTaken), wsconn.ReasonReplaced},
		"a reason":           {fmt.Errorf("no: %w", wsconn.ReasonTooBig), wsconn.ReasonTooBig},
		"an error":           {errors.New("no"), wsconn.ReasonTryAgain},
	} {
		conn, far := wsconn.Pipe(Limits(), wsconn.Limits{})
		ended := make(chan wsconn.Reason, 1)
		go func() { ended <- far.Serve(t.Context(), func([]byte) {}) }()
		go Serve(t.Context(), conn, refusing{err: c.err}, nil)
		far.Deliver(wire.Frame{Body: []byte(`{"kind":"ready","v":1,"targets":[],"features":["codes"]}`)})
		if got := <-ended; got.Text != c.want.Text {
			t.Errorf("%s: closed with %v, want %v", name, got, c.want)
		}
	}
}

// TestR251OnlyHostsThatAnswerAreAsked wants no sign of life of a Host that does not know the
// question: it would count as hanging.
func TestR251OnlyHostsThatAnswerAreAsked(t *testing.T) {
	for _, feature := range []string{"", featureAlive} {
		conn, far := wsconn.Pipe(Limits(), wsconn.Limits{})
		conn.Close(wsconn.ReasonGone)
		far.Close(wsconn.ReasonGone)
		p := &Host{conn: conn, hub: &ledger{lines: make(chan string, 9)}, log: zap.NewNop(), ready: time.NewTimer(time.Hour)}
		p.abilities.Store(&abilities{})
		p.receive([]byte(`{"kind":"ready","v":1,"targets":[],"features":["` + feature + `"]}`))
		if asks := p.alive.timer != nil; asks != (feature == featureAlive) {
			t.Errorf("a Host with the feature %q is asked: %v", feature, asks)
		}
		p.alive.stop()
		p.stopWaiting()
	}
}
