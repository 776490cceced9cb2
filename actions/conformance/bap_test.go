package conformance

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/server"
)

// TestBAPConformance uses each method on each kind of targets.
func TestBAPConformance(t *testing.T) {
	t.Parallel()
	s := newAgents(t, func(f *server.Options) { f.Network.Block = []string{"localhost"} })
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			t.Parallel()
			a := s.launched(t, kind.prefix+"/bap")
			page := a.page(s.app.URL + "/form.html")
			fill := strings.NewReplacer("{{app}}", s.app.URL, "{{host}}", strings.Replace(s.app.URL, "127.0.0.1", "localhost", 1), "{{page}}", page)
			changed := true // the page is not as it was loaded
			for _, m := range bapTable() {
				for _, c := range m.cases {
					if kind.TargetKind == actions.FrameTarget && c.frame != 0 {
						c.code, c.want, c.then = c.frame, "", [3]string{}
					}
					t.Run(m.method+"/"+c.name, func(t *testing.T) {
						a.T = t
						if changed {
							a.must("page/navigate", fill.Replace(`{"pageId":"{{page}}","url":"{{app}}/form.html"}`))
						}
						s.connected(t, a, kind.prefix+"/bap", c.on).runs(m.method, c, fill)
					})
					changed = c.on == launched && !strings.HasPrefix(m.method, "observe/") && (c.code == 0 || m.method == "page/navigate")
				}
			}
		})
	}
}

// connected is the connection itself, or a new one that has done what is
// wanted.
func (s *stage) connected(t *testing.T, a *agent, path string, on state) *agent {
	t.Helper()
	if on == launched {
		return a
	}
	a = s.agent(t, path, nil)
	if on == initialized {
		a.must("initialize", initializeParams)
	}
	return a
}

// runs carries out a case.
func (a *agent) runs(method string, c bapCase, fill *strings.Replacer) {
	a.T.Helper()
	params, want := "", fill.Replace(c.want)
	var result json.RawMessage
	var failed *bapError
	got, code := "", 0
	for _, soon := range soon {
		params = strings.ReplaceAll(fill.Replace(c.params), "{{soon}}", soon)
		if c.raw != "" {
			a.Send(c.raw)
			got = a.Next()
			break
		}
		result, failed = a.call(method, params)
		got, code = string(result), 0
		if failed != nil {
			got, code = failed.raw, failed.Code
		}
		if code == c.code || code != -32016 || !strings.Contains(c.params, "{{soon}}") {
			break
		}
	}
	if code != c.code || !strings.Contains(got, want) {
		a.T.Errorf("%s %s:\ngot  %.600s\nwant %d %s", method, params, got, c.code, want)
	}
	wantRemark(a.T, got)
	keepsSecrets(a.T, got)
	if c.raw == "" && failed == nil && !json.Valid(result) {
		a.T.Errorf("%.200s is no JSON", result)
	}
	if c.then[0] == "" || c.code != 0 && failed == nil {
		return
	}
	if got := a.must(c.then[0], c.then[1]); !strings.Contains(got, c.then[2]) {
		a.T.Errorf("after %s %s: %s is %.300s, want %s in it", method, c.params, c.then[0], got, c.then[2])
	}
}
