package server

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/doors"
)

// TestR349TheHubTellsAgentsHowToConnect reads /llms.txt without a token: each door with its address and what it
// is for, documents that exist, and no secret.
func TestR349TheHubTellsAgentsHowToConnect(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"open":     func(*Options) {},
		"tokens":   func(o *Options) { o.Tokens.Client, o.Tokens.Host = clientToken, hostToken },
		"CDP only": func(o *Options) { o.Actions.Off = true },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, change)
			r, err := http.Get("http://" + s.addr(false) + "/llms.txt")
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			body, _ := io.ReadAll(r.Body)
			text := string(body)
			if r.StatusCode != http.StatusOK || !strings.HasPrefix(text, "# cdphub\n\n> ") {
				t.Fatalf("%d %s", r.StatusCode, text)
			}
			if !strings.Contains(text, "](http://"+s.addr(false)+"/downloads)") {
				t.Errorf("want the downloads in\n%s", text)
			}
			for _, p := range doors.All() {
				served := name != "CDP only" || p == doors.CDP
				if strings.Contains(text, s.addr(false)+p.Path()+"): "+doorUses[p]) != served || doorUses[p] == "" {
					t.Errorf("want %s at its address: %v in\n%s", p, served, text)
				}
			}
			if strings.Contains(text, clientToken) || strings.Contains(text, "Bearer TOKEN") != (name == "tokens") {
				t.Errorf("the token, or no word of it: %s", text)
			}
			for _, doc := range regexp.MustCompile(regexp.QuoteMeta(docsBase)+`(\S+\.md)`).FindAllStringSubmatch(text, -1) {
				if _, err := os.Stat(filepath.Join("..", "docs", doc[1])); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
