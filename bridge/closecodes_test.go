package bridge

import (
	"testing"

	"github.com/cdphub/cdphub/wsconn"
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
		p.hub.host.Close(ReasonReplaced)
		if got, want := <-p.ended, (wsconn.Reason{Code: tt.code, Text: wsconn.ReasonReplaced.Text}); got != want {
			t.Errorf("%s: closed with %v, want %v", name, got, want)
		}
	}
}
