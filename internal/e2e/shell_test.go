package e2e

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestShell opens the ready-made Host page on an app, and on what is none: a
// javascript: address would run in the origin of the hub, which may be a Host.
func TestShell(t *testing.T) {
	onlyHub(t)
	s := newSite(t)
	h := startHub(t)
	base := "http://" + h.hostAddr
	s.useHub(base)
	startBrowser(t, base+"/shell?app="+url.QueryEscape(s.app.URL+appPage), false)
	eventually(t, harness.Started, func() error {
		st, err := h.status()
		if err == nil && (len(st.Targets) != 1 || st.Targets[0].Title != "Field book") {
			err = fmt.Errorf("the hub has %+v, want the app", st)
		}
		return err
	})
}

func TestShellRunsNoScript(t *testing.T) {
	onlyHub(t)
	h := startHub(t)
	script := "javascript:parent.host.connectRelay('ws://" + h.hostAddr + "/icdp/host')"
	startBrowser(t, "http://"+h.hostAddr+"/shell?app="+url.QueryEscape(script), false)
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if st, err := h.status(); err != nil || st.HostConnected {
			t.Fatalf("the hub has %+v, %v, want no Host", st, err)
		}
	}
}
