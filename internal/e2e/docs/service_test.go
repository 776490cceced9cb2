package docs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// example is the site of the documentation: the app at port 3000, and
// https://example.com.
func example(t *testing.T) (port string) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Example Domain</title><h1>Example Domain</h1><a href="/more">More</a>`)
	}))
	t.Cleanup(site.Close)
	u, err := url.Parse(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// service is a program that serves until it is ended.
type service struct {
	cmd   *exec.Cmd
	said  output
	ended chan error
}

// output is what a program prints, read while it does.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start starts a program and waits until it serves Clients: a hub of a page then
// has the pages of its frames.
func start(t *testing.T, p ports, cmd *exec.Cmd) *service {
	t.Helper()
	s := &service{cmd: cmd, ended: make(chan error, 1)}
	cmd.Env = append(cmd.Env, p.env()...)
	cmd.Stdout, cmd.Stderr = &s.said, &s.said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.ended <- cmd.Wait() }()
	t.Cleanup(func() { s.stop(t) })
	line := strings.Join(cmd.Args, " ")
	targets := 0
	switch {
	case strings.Contains(line, "demo"):
		targets = 3
	case strings.Contains(line, "cdphub open"):
		targets = 1
	}
	harness.Eventually(t, harness.Started, func() error {
		select {
		case err := <-s.ended:
			s.ended <- err
			t.Fatalf("%s ended: %v\n%s", line, err, &s.said)
		default:
		}
		if err := serves(p["9222"], targets); err != nil {
			return fmt.Errorf("%s: %w\n%s", line, err, &s.said)
		}
		return nil
	})
	return s
}

// serves reports whether a hub serves Clients and has so many pages with a title.
func serves(port string, targets int) error {
	path := "/health"
	if targets > 0 {
		path = "/json/list"
	}
	res, err := http.Get("http://127.0.0.1:" + port + path)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var pages []struct{ Title string }
	if targets == 0 {
		return nil
	}
	if err := json.NewDecoder(res.Body).Decode(&pages); err != nil {
		return err
	}
	for _, page := range pages {
		if page.Title != "" {
			targets--
		}
	}
	if targets > 0 {
		return errors.New("pages are missing")
	}
	return nil
}

// stop ends the program, which must then end well.
func (s *service) stop(t *testing.T) {
	t.Helper()
	if s.ended == nil {
		return
	}
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGTERM)
	if err := <-s.ended; err != nil && t.Context().Err() == nil {
		t.Errorf("%v after SIGTERM: %v\n%s", s.cmd.Args, err, &s.said)
	}
	s.ended = nil
}
