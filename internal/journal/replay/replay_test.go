package replay

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/cdphub/cdphub/internal/journal"
)

const recorded = `{"cdphub":1,"hub":"h","targetId":"T","began":1000}
{"seq":1,"at":1000,"kind":"navigation","text":"https://a.example/"}
{"seq":2,"at":1010,"kind":"request","load":{"method":"GET","url":"u","body":"aGVsbG8="}}
{"seq":3,"at":1020,"kind":"picture","picture":true}
{"seq":4,"at":1030,"kind":"command","client":"agent #1","method":"Page.reload"}
{"seq":5,"at":1040,"kind":"reads","text":"The shop"}
{"seq":6,"at":1050,"kind":"reads","text":"Another page"}
`

func serve(t *testing.T) (*httptest.Server, string) {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "r"+journal.Extension)
	if err := os.WriteFile(name, z.EncodeAll([]byte(recorded), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := journal.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(r.PictureFile(3)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.PictureFile(3), []byte("picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, key, err := Handler(r)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s, key
}

// TestR259RecordingsWantTheirKey asks for all that is of the recording, as a program or a
// page of this machine could.
func TestR259RecordingsWantTheirKey(t *testing.T) {
	s, key := serve(t)
	for _, path := range []string{"/ui/api/state", "/ui/api/events", "/ui/api/timeline", "/ui/api/picture?seq=3", "/ui/api/state?token=" + key} {
		for _, token := range []string{"", key + "x"} {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = "127.0.0.1:1"
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
			s.Config.Handler.ServeHTTP(w, r)
			if w.Code != http.StatusUnauthorized || strings.Contains(w.Body.String(), "a.example") {
				t.Errorf("%s with %q: %d %s, want 401", path, token, w.Code, w.Body)
			}
		}
	}
}

func TestHandler(t *testing.T) {
	s, key := serve(t)
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/":                         {200, `<script defer src="/ui/app.js"></script>`},
		"/ui/app.js":                {200, "ui/api/timeline"},
		"/ui/app.css":               {200, ".timeline"},
		"/ui/api/state":             {200, `"targets":[{"targetId":"T","type":"page","title":"The shop","url":"https://a.example/","drawn":false,"drivers":["agent #1"],"last":{"method":"Page.reload","at":1030}}]`},
		"/ui/api/timeline":          {200, `{"entries":[{"seq":1,"at":1000,"kind":"navigation","text":"https://a.example/"},{"seq":2,"at":1010,"kind":"request","load":{"method":"GET","url":"u"}},{"seq":3`},
		"/ui/api/timeline?after=2":  {200, `{"entries":[{"seq":3,"at":1020,"kind":"picture","picture":true},{"seq":4,"at":1030,"kind":"command","client":"agent #1","method":"Page.reload"}]}`},
		"/ui/api/picture?seq=3":     {200, "picture"},
		"/ui/api/picture?seq=1":     {404, "The picture with this seq"},
		"/ui/api/picture?seq=../..": {400, "seq must be"},
		"/elsewhere":                {404, ""},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host = "127.0.0.1:1"
		r.Header.Set("Authorization", "Bearer "+key)
		s.Config.Handler.ServeHTTP(w, r)
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("%s: %d %s, want %d with %s", path, w.Code, w.Body, want.status, want.text)
		}
	}
}

func TestForeignPagesSeeNothing(t *testing.T) {
	s, key := serve(t)
	for name, change := range map[string]func(*http.Request){
		"a foreign origin": func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"a foreign site":   func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"a rebound name":   func(r *http.Request) { r.Host = "evil.example" },
	} {
		r := httptest.NewRequest(http.MethodGet, "/ui/api/timeline", nil)
		r.Host = "127.0.0.1:1"
		r.Header.Set("Authorization", "Bearer "+key)
		change(r)
		w := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, r)
		if w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}

// TestEvents reads the state from the stream.
func TestEvents(t *testing.T) {
	s, key := serve(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/ui/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	begin := make([]byte, len("event: state\ndata: {"))
	if _, err := resp.Body.Read(begin); err != nil || string(begin) != "event: state\ndata: {" {
		t.Errorf("%q, %v", begin, err)
	}
}
