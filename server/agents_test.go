package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

const extendedReady = `{"kind":"ready","v":1,"targets":[{"targetId":"T1","title":"one","url":"http://a/"}],"features":["sessions","dialog","eval","uploads"]}`

// post sends a body as a Frame Agent would.
func (s started) post(t *testing.T, path, contentType, body string) (int, string, http.Header) {
	t.Helper()
	resp, err := http.Post("http://"+s.addr(true)+path, contentType, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, "", nil
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(answer), resp.Header
}

// extended connects a Host with every extension and a Client with a session
// that has Page enabled, and returns the key for dialogs.
func extended(t *testing.T, s started) (host, client *far, session, key string) {
	t.Helper()
	host = dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
	host.send(extendedReady)
	host.until("accepted")
	client = s.client(t)
	s.await(t, `"T1"`)
	session = client.attach()
	var attached struct{ DialogKey string }
	if err := json.Unmarshal([]byte(host.until(`"attached"`)), &attached); err != nil || attached.DialogKey == "" {
		t.Fatalf("the host was told no key: %v", err)
	}
	client.send(`{"id":2,"method":"Page.enable","sessionId":"` + session + `"}`)
	host.until("Page.enable")
	return host, client, session, attached.DialogKey
}

func TestDialogs(t *testing.T) {
	s := start(t, nil)
	_, client, session, key := extended(t, s)
	body := func(key, kind string) string {
		return fmt.Sprintf(`{"targetId":"T1","key":%q,"type":%q,"message":"Sure?","defaultPrompt":"","url":"http://a/","frameId":"T1"}`, key, kind)
	}
	answered := make(chan string, 1)
	go func() {
		status, answer, h := s.post(t, "/dialog", "text/plain;charset=UTF-8", body(key, "beforeunload"))
		answered <- fmt.Sprint(status, " ", strings.TrimSpace(answer), " ", h.Get("Access-Control-Allow-Origin"))
	}()
	client.until("Page.javascriptDialogOpening")
	client.send(`{"id":3,"method":"Page.handleJavaScriptDialog","params":{"accept":true},"sessionId":"` + session + `"}`)
	client.until(`"id":3`)
	if got, want := <-answered, `200 {"accept":true,"text":""} *`; got != want {
		t.Errorf("the dialog got %s, want %s", got, want)
	}
	for _, tt := range []struct {
		name, contentType, body string
		status                  int
	}{
		{"wrong key", "text/plain", body("0", "alert"), 403},
		{"no key", "text/plain", `{"targetId":"T1","type":"alert"}`, 403},
		{"unknown kind", "text/plain", body(key, "print"), 400},
		{"not JSON", "text/plain", `{`, 400},
		{"a form", "application/x-www-form-urlencoded", body(key, "alert"), 415},
		{"too long", "text/plain", strings.Repeat(" ", maxDialog+1), 413},
	} {
		if status, answer, _ := s.post(t, "/dialog", tt.contentType, tt.body); status != tt.status {
			t.Errorf("%s: %d %s, want %d", tt.name, status, answer, tt.status)
		}
	}
	if status, _ := s.get(t, s.addr(true), "/dialog", nil); status != 405 {
		t.Errorf("GET /dialog: %d, want 405", status)
	}
}

// A dialog whose page has gone is closed for the Clients too.
func TestDialogOfAPageThatGoes(t *testing.T) {
	s := start(t, nil)
	_, client, _, key := extended(t, s)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	asked := make(chan error, 1)
	go func() {
		_, _, err := hubtest.PostJSON(ctx, "http://"+s.addr(true)+"/dialog", http.Header{"Content-Type": {"text/plain"}}, []byte(`{"targetId":"T1","type":"confirm","key":"`+key+`"}`))
		asked <- err
	}()
	client.until("Page.javascriptDialogOpening")
	leave()
	if err := <-asked; err == nil {
		t.Fatal("a dialog without an answer was answered")
	}
	client.until(`Page.javascriptDialogClosed","params":{"frameId":"","result":false`)
}

func TestScriptsForFrames(t *testing.T) {
	s := start(t, nil)
	host, _, _, _ := extended(t, s)
	host.send(`{"kind":"evalput","key":"K1","source":"run(1)"}`)
	host.until(`{"kind":"evalok","key":"K1"}`)
	if status, body := s.get(t, s.addr(true), "/eval/K1.js", nil); status != 200 || body != "run(1)" {
		t.Errorf("the script is %d %q", status, body)
	}
	if status, _ := s.get(t, s.addr(true), "/eval/K1.js", nil); status != 404 {
		t.Errorf("asked again: %d, want 404", status)
	}
	if status, _, _ := s.post(t, "/eval/K1.js", "text/plain", ""); status != 405 {
		t.Errorf("POST: %d, want 405", status)
	}
}

func TestPageSockets(t *testing.T) {
	s := start(t, nil)
	host := s.host(t)
	if _, list := s.get(t, s.addr(false), "/json/list", nil); !strings.Contains(list, s.addr(false)+`/devtools/browser"`) {
		t.Errorf("the list does not name the browser's socket: %s", list)
	}
	page := dial(t, "ws://"+s.addr(false)+"/devtools/page/T1", nil)
	page.send(`{"id":1,"method":"Page.enable"}`)
	command := host.until("Page.enable")
	var c struct {
		ID        int
		SessionID string
	}
	if err := json.Unmarshal([]byte(command), &c); err != nil {
		t.Fatal(err)
	}
	host.send(fmt.Sprintf(`{"kind":"response","sessionId":%q,"id":%d,"result":{}}`, c.SessionID, c.ID))
	if got := page.next(); got != `{"id":1,"result":{}}` {
		t.Errorf("the page socket got %s", got)
	}
	host.send(`{"kind":"targetDestroyed","targetId":"T1"}`)
	page.until("Inspector.detached")
	if why := page.reason(); why != wsconn.ReasonTargetClosed {
		t.Errorf("the page socket closed with %v", why)
	}
	if got := raw(t, s.addr(false), handshake("/devtools/page/T9")); got.status != 404 || !strings.Contains(got.body, "No such target id: T9") {
		t.Errorf("an unknown target: %d %s, want 404", got.status, got.body)
	}
	forced := start(t, func(f *Options) { f.PageSockets = new(true) })
	forced.host(t)
	if _, list := forced.get(t, forced.addr(false), "/json/list", nil); !strings.Contains(list, forced.addr(false)+`/devtools/page/T1"`) {
		t.Errorf("with --page-sockets the list does not name the page socket: %s", list)
	}
}

func TestUploads(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "a.txt")
	secret := filepath.Join(t.TempDir(), "secret.txt")
	for _, name := range []string{good, secret} {
		if err := os.WriteFile(name, []byte("hello"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, func(f *Options) { f.UploadDir = dir })
	host, client, session, _ := extended(t, s)
	set := func(id int, files string) {
		client.send(fmt.Sprintf(`{"id":%d,"method":"DOM.setFileInputFiles","params":{"files":%s,"objectId":"1.2.3"},"sessionId":%q}`, id, files, session))
	}
	set(10, fmt.Sprintf("[%q]", good))
	if got := host.until("DOM.setFileInputFiles"); !strings.Contains(got, `"name":"a.txt","mimeType":"text/plain"`) ||
		!strings.Contains(got, `"base64":"aGVsbG8="`) || !strings.Contains(got, `"objectId":"1.2.3"`) {
		t.Errorf("the host got %s", got)
	}
	for i, files := range []string{
		fmt.Sprintf("[%q]", secret), fmt.Sprintf("[%q]", link), fmt.Sprintf("[%q]", pipe), fmt.Sprintf("[%q]", dir),
		fmt.Sprintf("[%q]", dir+"/../"+filepath.Base(dir)+"/none"), `["a.txt"]`, `["/etc/hostname"]`, `[5]`, `null`,
	} {
		set(20+i, files)
		got := client.until(fmt.Sprintf(`{"id":%d,"error"`, 20+i))
		if !strings.HasSuffix(got, `"sessionId":"`+session+`"}`) || strings.Contains(got, "hello") {
			t.Errorf("%s: %s", files, got)
		}
	}
	none := start(t, nil)
	_, client, session, _ = extended(t, none)
	set(10, "[]")
	client.until("File upload by path is disabled on this hub")
	if _, err := makeServer(Options{UploadDir: dir + "/none"}, s.log); err == nil {
		t.Error("an upload directory that is not there was taken")
	}
}
