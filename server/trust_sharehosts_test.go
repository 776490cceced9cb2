package server

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// The tokens of Hosts in the tests of shares.
const (
	teamHostToken = "token-of-the-teams-host"
	loneHostToken = "token-of-a-host-without"
)

// hostsOfTeam adds tokens of Hosts: of the team, and of no share.
func hostsOfTeam(t *testing.T) func(*Options) {
	t.Helper()
	return func(o *Options) {
		text, err := os.ReadFile(o.Tokens.File)
		if err != nil {
			t.Fatal(err)
		}
		more := `
  - {name: teamhost, token: ` + teamHostToken + `, role: host, hub: "*", share: team}
  - {name: lonehost, token: ` + loneHostToken + `, role: host, hub: "*"}
`
		o.Tokens.File, _ = hubtest.TokenFile(t, strings.TrimSpace(string(text))+more)
		o.Tokens.Host = hostToken
	}
}

// teamHost connects the Host of the team, and waits for its frame.
func (s started) teamHost(t *testing.T) *far {
	t.Helper()
	h := dial(t, "ws://"+s.addr(true)+"/icdp/host", bearer(teamHostToken))
	h.send(`{"kind":"ready","v":1,"features":["sessions","dialog","eval"],"targets":[{"targetId":"T1","title":"One","url":"http://app/1"}]}`)
	await(t, "the frame of the team", func() bool {
		_, body := s.get(t, s.addr(false), "/icdp/status", bearer(teamToken))
		return strings.Contains(body, `"T1"`)
	})
	return h
}

// TestR233HostBesideABrowser wants a Host page to be seen by the Clients of its share.
func TestR233HostBesideABrowser(t *testing.T) {
	s := withShares(t, hostsOfTeam(t))
	for _, prefix := range []string{"", "/hub/work", "/hub/_" + ownShare(loneHostToken)} {
		refused := raw(t, s.addr(true), handshake(prefix+"/icdp/host", "Authorization: Bearer "+loneHostToken))
		asked := raw(t, s.addr(true), asking("GET "+prefix+"/icdp/host HTTP/1.1", "Host: localhost", "Authorization: Bearer "+loneHostToken))
		for _, got := range []said{refused, asked} {
			if got.status != 403 || !strings.Contains(got.body, "share: NAME") || !strings.Contains(got.body, "--browser-share=hub") {
				t.Errorf("a Host without a share at %q: %d %s, want 403 that says what to do", prefix, got.status, got.body)
			}
		}
	}
	s.teamHost(t)
	operators := dial(t, "ws://"+s.addr(true)+"/icdp/host", bearer(hostToken))
	operators.send(strings.ReplaceAll(ready, "T1", "T9"))
	await(t, "the frame of the operator", func() bool {
		_, body := s.get(t, s.addr(false), "/icdp/status", bearer(clientToken))
		return strings.Contains(body, `"T9"`)
	})
	for token, want := range map[string]string{annsToken: "", bobsToken: "", evesToken: "", rootsToken: "", teamToken: "T1", mateToken: "T1", clientToken: "T9"} {
		_, body := s.get(t, s.addr(false), "/json/list", bearer(token))
		for _, id := range []string{"T1", "T9"} {
			if strings.Contains(body, `"`+id+`"`) != (id == want) {
				t.Errorf("%s sees %s, want %q of the frames", token, body, want)
			}
		}
	}
	if status, body := s.get(t, s.addr(true), "/host.json", bearer(teamHostToken)); status != 200 || !strings.Contains(body, `"hub":"_team"`) || strings.Contains(body, "token-") {
		t.Errorf("the team's Host is told %d %s", status, body)
	}
	for _, path := range []string{"/hub/_other/icdp/host", "/hub/_" + ownShare(annsToken) + "/icdp/host"} {
		if got := raw(t, s.addr(true), handshake(path, "Authorization: Bearer "+teamHostToken)); got.status != 401 {
			t.Errorf("the team's Host at %s: %d, want 401", path, got.status)
		}
	}
}

// TestR233HostsOfOtherHubsAreAsBefore wants a Host token without a share to do where no
// browser is divided.
func TestR233HostsOfOtherHubsAreAsBefore(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"a hub without a browser":  func(o *Options) { o.Browsers.Hubs = []string{"other"} },
		"with --browser-share=hub": func(o *Options) { o.Browsers.Undivided = true },
	} {
		t.Run(name, func(t *testing.T) {
			s := withShares(t, hostsOfTeam(t), change)
			h := dial(t, "ws://"+s.addr(true)+"/icdp/host", bearer(loneHostToken))
			h.send(ready)
			for _, token := range []string{annsToken, teamToken, clientToken, rootsToken} {
				await(t, "the frame", func() bool {
					_, body := s.get(t, s.addr(false), "/json/list", bearer(token))
					return strings.Contains(body, `"T1"`)
				})
			}
		})
	}
}

// TestR233FramesOfAShare has a frame ask for a script and for a dialog at the address of
// its Host page, which names no share.
func TestR233FramesOfAShare(t *testing.T) {
	s := withShares(t, hostsOfTeam(t))
	h := s.teamHost(t)
	const key = "0123456789abcdef0123456789abcdef"
	h.send(`{"kind":"evalput","key":"` + key + `","source":"1 + 1"}`)
	await(t, "the script is there", func() bool {
		for _, path := range []string{"/hub/work/eval/" + key + ".js", "/hub/_other/eval/" + key + ".js"} {
			if got := raw(t, s.addr(true), asking("GET "+path+" HTTP/1.1", "Host: localhost")); got.status != 404 {
				t.Errorf("the script at %s: %d, want 404", path, got.status)
			}
		}
		got := raw(t, s.addr(true), asking("GET /eval/"+key+".js HTTP/1.1", "Host: localhost"))
		return got.status == 200 && got.body == "1 + 1"
	})
	c := dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer(teamToken))
	c.attachTo("T1")
	var attached struct{ DialogKey string }
	if err := json.Unmarshal([]byte(h.until(`"dialogKey"`)), &attached); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/dialog": http.StatusOK, "/hub/_team/dialog": http.StatusOK, "/hub/work/dialog": http.StatusForbidden, "/hub/_other/dialog": http.StatusForbidden} {
		body := `{"targetId":"T1","key":"` + attached.DialogKey + `","type":"alert","message":"hi"}`
		if status, text, _ := s.post(t, path, "text/plain", body); status != want || want == 200 && text != `{"native":true}` {
			t.Errorf("%s: %d %s, want %d", path, status, text, want)
		}
	}
}
