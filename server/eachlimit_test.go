package server

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/limittest"
	"github.com/cdphub/cdphub/server/internal/dashboard"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/operators"
)

// TestR296Limits goes to the limits of single requests and of what pages for people list.
func TestR296Limits(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	dir := t.TempDir()
	fill, err := newUploads(dir)
	if err != nil {
		t.Fatal(err)
	}
	limittest.Reach(t, "maxUpload", maxUpload, func(n int) bool {
		first, second := filepath.Join(dir, "1"), filepath.Join(dir, "2")
		for path, size := range map[string]int{first: n / 2, second: n - n/2} {
			if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := fill(fmt.Appendf(nil, `{"files":[%q,%q]}`, first, second), plenty)
		return err == nil
	})
	limittest.Reach(t, "longestWords", front.LongestWords, func(n int) bool { return len(front.CutWords(x(n))) == n })
	limittest.Reach(t, "mostQuotaTokens", operators.MostQuotaTokens, func(n int) bool {
		used := map[string]int64{}
		for i := range n {
			used[fmt.Sprint(i)] = 1
		}
		_, others := operators.MostUsed(used)["(others)"]
		return !others
	})
	limittest.Reach(t, "mostTimelines", mostTimelines/timelineShare, func(n int) bool {
		o := Options{}
		o.Timeline.On, o.Limits.MemoryBudget = true, int64(n)*timelineShare*timelineShare
		return o.timelineMemory() == int64(n)*timelineShare
	})
	limittest.Reach(t, "minClusterKey", -minClusterKey, func(n int) bool {
		c := clusterKeys(t)
		c.Directory, c.Listener = new(cluster.Memory).Join(cluster.Node{}), new(net.TCPListener)
		c.Key = make([]byte, -n)
		return c.check() == nil
	})
	s := start(t, shortDrain)
	// Of a longer body a part is read, which is no JSON.
	posts := func(path, format string) func(n int) bool {
		return func(n int) bool {
			resp, err := http.Post("http://"+s.addr(false)+path, "application/json", strings.NewReader(fmt.Sprintf(format, x(n-len(format)+2))))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			return resp.StatusCode != http.StatusBadRequest
		}
	}
	limittest.Reach(t, "maxTicket", dashboard.MaxTicket, posts("/ui/api/handoff", `{"ticket":"%s"}`))
	limittest.Reach(t, "maxTabRequest", dashboard.MaxTabRequest, posts("/ui/api/grant", `{"targetId":"%s"}`))
	limittest.Reach(t, "maxHomeHubs", maxHomeHubs, func(n int) bool {
		s := start(t, shortDrain)
		for i := range n - 1 { // beside the one that is asked
			_, release, err := s.hubs.Acquire(fmt.Sprint("h", i))
			if err != nil {
				t.Fatal(err)
			}
			defer release()
		}
		_, body := s.get(t, s.addr(false), "/home.json", nil)
		return strings.Count(body, `"hub":`) == n
	})
	tries := 0
	// lists offers as many targets to a hub of their own, and counts what a page lists of them.
	lists := func(path, item string) func(n int) bool {
		return func(n int) (all bool) {
			tries++
			hub, ready := fmt.Sprint("n", tries), `{"kind":"ready","v":1,"targets":[`
			for i := range n {
				ready += fmt.Sprintf(`{"targetId":"%s-%d","title":"%s-%d"},`, hub, i, hub, i)
			}
			dial(t, "ws://"+s.addr(true)+"/hub/"+hub+"/icdp/host", nil).send(strings.TrimSuffix(ready, ",") + "]}")
			await(t, "the targets are there", func() bool {
				_, body := s.get(t, s.addr(false), "/hub/"+hub+path, nil)
				listed := strings.Count(body, item+hub+"-")
				all = listed == n
				return listed > 0
			})
			return all
		}
	}
	limittest.Reach(t, "maxUITargets", dashboard.MaxTargets, lists("/ui/api/state", `"targetId":"`))
	limittest.Reach(t, "maxHomePages", maxHomePages, lists("/home.json", `"title":"`))
}
