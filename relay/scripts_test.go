package relay

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestScripts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t)
		host := &fakeHost{stage: st, name: "host"}
		events := setHost(st.hub, host, nil)
		if !events.PutScript("a", "1") || events.PutScript("a", "2") {
			t.Error("a key should be taken once")
		}
		if source, ok := st.hub.Control().TakeScript("a"); source != "1" || !ok {
			t.Errorf("TakeScript = %q, %v; want 1", source, ok)
		}
		if _, ok := st.hub.Control().TakeScript("a"); ok {
			t.Error("a script was served twice")
		}
		for _, bad := range []struct{ key, source string }{
			{"", "1"}, {strings.Repeat("k", maxScriptKey+1), "1"}, {"big", strings.Repeat("x", maxScriptSize+1)},
		} {
			if events.PutScript(bad.key, bad.source) {
				t.Errorf("a key of %d bytes with %d bytes of source was taken", len(bad.key), len(bad.source))
			}
		}
		for i := range maxScripts {
			if !events.PutScript(strconv.Itoa(i), "1") {
				t.Fatalf("script %d was refused", i)
			}
		}
		if events.PutScript("one more", "1") {
			t.Error("there is no limit")
		}
		time.Sleep(scriptLife + time.Second)
		if _, ok := st.hub.Control().TakeScript("0"); ok {
			t.Error("a script outlived its time")
		}
		if !events.PutScript("later", "1") {
			t.Error("scripts that nobody fetched still take room")
		}
		events.HostGone(false)
		if _, ok := st.hub.Control().TakeScript("later"); ok {
			t.Error("a script outlived its Host")
		}
	})
}
