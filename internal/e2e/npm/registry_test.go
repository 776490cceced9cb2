package npm

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// manifest is a package.json.
type manifest map[string]any

// registry serves packages as npm's does, each in one version. Platforms that have
// no tarball are offered, too: npm may not ask for them.
type registry struct {
	*httptest.Server

	mu    sync.Mutex
	bytes int64 // of tarballs that were downloaded
}

// newRegistry serves these tarballs until the test ends.
func newRegistry(t *testing.T, tarballs []string) *registry {
	t.Helper()
	r := &registry{}
	packages := map[string]manifest{}
	mux := http.NewServeMux()
	for _, file := range tarballs {
		m := manifestOf(t, file)
		name := m["name"].(string)
		m["dist"] = manifest{"tarball": filepath.Base(file)}
		packages[name] = m
		mux.HandleFunc("GET /-/"+filepath.Base(file), func(w http.ResponseWriter, req *http.Request) {
			info, err := os.Stat(file)
			if err == nil {
				r.mu.Lock()
				r.bytes += info.Size()
				r.mu.Unlock()
			}
			http.ServeFile(w, req, file)
		})
	}
	for name, version := range packages["cdphub"]["optionalDependencies"].(map[string]any) {
		if packages[name] == nil {
			os, cpu, _ := strings.Cut(strings.TrimPrefix(name, "@cdphub/"), "-")
			packages[name] = manifest{"name": name, "version": version, "os": []string{os}, "cpu": []string{cpu}, "dist": manifest{"tarball": "absent.tgz"}}
		}
	}
	mux.HandleFunc("GET /", func(w http.ResponseWriter, req *http.Request) {
		name, _ := url.PathUnescape(strings.TrimPrefix(req.URL.EscapedPath(), "/"))
		m, ok := packages[name]
		if !ok {
			t.Errorf("npm asks for %s", req.URL)
			http.NotFound(w, req)
			return
		}
		version := m["version"].(string)
		file := m["dist"].(manifest)["tarball"].(string)
		served := manifest{}
		for key, value := range m {
			served[key] = value
		}
		served["dist"] = manifest{"tarball": r.URL + "/-/" + filepath.Base(file)}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(manifest{
			"name": name, "dist-tags": manifest{"latest": version}, "versions": manifest{version: served},
		}) // npm may have gone
	})
	r.Server = httptest.NewServer(mux)
	t.Cleanup(r.Close)
	return r
}

// downloaded is how many bytes of tarballs have been asked for.
func (r *registry) downloaded() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes
}

// manifestOf reads the package.json of a tarball.
func manifestOf(t *testing.T, file string) manifest {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			t.Fatalf("%s has no package.json", file)
		} else if err != nil {
			t.Fatal(err)
		}
		if h.Name != "package/package.json" {
			continue
		}
		var m manifest
		if err := json.NewDecoder(r).Decode(&m); err != nil {
			t.Fatal(err)
		}
		return m
	}
}
