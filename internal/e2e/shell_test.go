package e2e

import (
	"net/url"
	"testing"
	"time"
)

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
