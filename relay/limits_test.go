package relay

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/limittest"
	"github.com/cdphub/cdphub/internal/wire"
)

// TestR296Limits goes to the limits of single commands and texts; TestR247 and TestR152
// have those of hubs and Clients.
func TestR296Limits(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	asked := func(members ...string) *request {
		r := new(request)
		for i := 0; i < len(members); i += 2 {
			r.members = append(r.members, wire.Member{Name: members[i], Value: []byte(members[i+1])})
		}
		return r
	}
	limittest.Reach(t, "maxInstructions", maxInstructions, func(n int) bool {
		o, err := readHandoff(asked("instructions", `"`+x(n)+`"`))
		return err == nil && len(o.Instructions) == n
	})
	limittest.Reach(t, "maxHandoffTimeout", int(maxHandoffTimeout.Milliseconds()), func(n int) bool {
		_, err := readHandoff(asked("instructions", `"x"`, "timeout", fmt.Sprint(n)))
		return err == nil
	})
	limittest.Reach(t, "maxViewerName", maxViewerName, func(n int) bool { return len(viewerName(x(n))) == n })
	limittest.Reach(t, "maxDialogText", maxDialogText, func(n int) bool {
		s := new(clientSession)
		noteDialog(s, dialogOpening, []byte(`{"message":"`+x(n)+`"}`))
		return strings.Contains(s.dialog, x(n))
	})
	limittest.Reach(t, "maxSessionID of a session", maxSessionID, func(n int) bool {
		table := sessionTable{byID: map[string]*clientSession{x(n): {}}}
		return table.get(x(n)) != nil
	})
	limittest.Reach(t, "maxSessionID of a target", maxSessionID, func(n int) bool {
		list := sessionsByTarget{lists: map[string][]*clientSession{x(n): {{}}}}
		return len(list.ofTarget(x(n))) == 1
	})
	limittest.Reach(t, "wire.MaxMethod", wire.MaxMethod, func(n int) bool { return wire.IsMethod("A." + x(n-2)) })
	limittest.Reach(t, "wire.MaxMethod in an error", wire.MaxMethod, func(n int) bool { return strings.Contains(methodNotFound(x(n), false).Message, x(n)) })
	limittest.Reach(t, "longestState", longestState, func(n int) bool {
		h := newHub(t, Options{})
		p := &inbox{}
		c := join(t, h, p)
		ev := setHost(h, &mute{}, list(1))
		c.Receive([]byte(`{"id":1,"method":"Browser.setDownloadBehavior","params":{"behavior":"default","eventsEnabled":true}}`))
		p.take()
		ev.Event("T0", "Browser.downloadProgress", []byte(`{"guid":"a","totalBytes":1,"receivedBytes":1,"state":"`+x(n)+`"}`))
		return len(p.take()) == 1
	})
	limittest.Reach(t, "ClientSessions of what comes from another node", 3, func(n int) bool {
		h := newHub(t, Options{Limits: Limits{ClientSessions: 3}})
		c := join(t, h, &inbox{})
		setHost(h, &mute{}, list(1))
		var st ClientState
		for i := range n {
			st.Sessions = append(st.Sessions, SessionState{ID: fmt.Sprint("S", i), TargetID: "T0"})
		}
		c.Restore(st)
		return len(c.sessions) == n
	})
	limittest.Reach(t, "mostReplacements", mostReplacements, func(n int) bool {
		r := new(replacements)
		for range n {
			if d := r.delay(time.Time{}); d > longestDelay {
				t.Errorf("a Host waits %v", d)
			}
		}
		return len(r.times) == n
	})
	limittest.Reach(t, "maxHubName", maxHubName, func(n int) bool { return ValidName(x(n)) })
	limittest.Reach(t, "maxChanged", maxChanged, func(n int) bool {
		l := new(listing)
		for i := range n {
			l.note(fmt.Sprint("T", i), false)
		}
		return !l.stale
	})
	limittest.Reach(t, "maxScripts", maxScripts, func(n int) (ok bool) {
		s := new(scripts)
		for i := range n {
			ok = s.put(fmt.Sprint(i), "", time.Time{}.Add(time.Hour))
		}
		return ok
	})
	ev := setHost(newHub(t, Options{}), &mute{}, list(1))
	keys := 0
	limittest.Reach(t, "maxScriptSize", maxScriptSize, func(n int) bool { keys++; return ev.PutScript(fmt.Sprint(keys), x(n)) })
	limittest.Reach(t, "maxScriptKey", maxScriptKey, func(n int) bool { keys++; return ev.PutScript(fmt.Sprintf("%0*d", n, keys), "1") })
	limittest.Reach(t, "maxWaitingParams", maxWaitingParams, func(n int) bool {
		h := newHub(t, Options{})
		defer h.Control().ExpectBrowser()()
		p := &inbox{}
		c := join(t, h, p)
		defer c.Leave()
		c.Receive([]byte(`{"id":1,"method":"Target.createBrowserContext","params":{"x":"` + x(n-8) + `"}}`))
		return len(p.take()) == 0 && len(h.awaited.parked.list) == 1
	})
}
