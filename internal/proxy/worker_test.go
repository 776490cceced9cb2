package proxy

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/web"
)

// TestWorkers wants the agent in front of the scripts of dedicated workers, in their
// first line, and nowhere else.
func TestWorkers(t *testing.T) {
	agent, err := web.Dist.ReadFile("dist/worker.js")
	if err != nil {
		t.Fatal(err)
	}
	const script = "onmessage = f;\nfunction f() {}"
	javascript := "Content-Type: text/javascript"
	gzipped := packed(t, script)
	start := regexp.MustCompile(`^\{const sites=\{"http.*call\(this,method,at\(u\),\.\.\.rest\)\}\}`)
	for _, c := range []struct {
		name, dest string
		app        http.HandlerFunc
		want       string
	}{
		{"script", "worker", answer(200, script, javascript, `ETag: "1"`), "@@" + string(agent) + script},
		{"compressed", "worker", answer(200, gzipped, javascript, "Content-Encoding: gzip"), "@@" + string(agent) + script},
		{"compressed in another way", "worker", answer(200, packedAs(t, "br", script), javascript, "Content-Encoding: br"), "@@" + string(agent) + script},
		{"not found", "worker", answer(404, "no", "Content-Type: text/plain"), "no"},
		{"shared", "sharedworker", answer(200, script, javascript), "@@" + script},
		{"of a page", "script", answer(200, script, javascript), script},
	} {
		t.Run(c.name, func(t *testing.T) {
			own, _ := serve(t, c.app, nil)
			res, body := ask(t, "GET", own+"/worker.js", "Sec-Fetch-Dest: "+c.dest, "Accept-Encoding: gzip, br")
			if start.MatchString(body) != strings.HasPrefix(c.want, "@@") || start.ReplaceAllString(body, "@@") != c.want {
				t.Errorf("body is %.80q, want %.80q", body, c.want)
			}
			if strings.HasPrefix(c.want, "@@") && (res.Header.Get("ETag") != "" || res.Header.Get("Cache-Control") != "no-cache") {
				t.Errorf("the browser may keep it: %v", res.Header)
			}
		})
	}
}
