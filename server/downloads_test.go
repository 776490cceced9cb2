package server

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// heap is how many bytes are in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestDownloadsLeaveRoomForOthers has a frame download 200 MiB. Between its parts the commands of
// other sessions are answered, and the hub holds none of what has come in memory.
func TestDownloadsLeaveRoomForOthers(t *testing.T) {
	dir := t.TempDir()
	s := start(t, func(o *Options) { o.DownloadDir = dir })
	host := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
	host.send(strings.Replace(ready, `"v":1,`, `"v":1,"features":["sessions","downloads"],`, 1))
	s.await(t, `"targetId":"T1"`)
	taker, other := s.client(t), s.client(t)
	session := other.attach()
	taker.send(fmt.Sprintf(`{"id":1,"method":"Browser.setDownloadBehavior","params":{"behavior":"allow","downloadPath":%q,"eventsEnabled":true}}`, dir))
	taker.until(`"id":1`)
	host.send(`{"kind":"downloadBegins","targetId":"T1","frameId":"T1","guid":"G","url":"http://app/large","suggestedFilename":"large.bin"}`)
	host.until(`"downloadTaken"`)

	const part, parts = 128 << 10, 1600
	text := `{"kind":"downloadPart","guid":"G","data":"` + base64.StdEncoding.EncodeToString(make([]byte, part)) + `"}`
	before := heap()
	for n := range parts {
		host.send(text)
		answered := n%400 != 0
		if !answered {
			other.send(fmt.Sprintf(`{"id":%d,"method":"Page.enable","sessionId":%q}`, n+1, session))
		}
		for taken := false; !taken || !answered; {
			if m := host.next(); strings.Contains(m, `"downloadTaken"`) {
				taken = true
			} else if _, id, found := strings.Cut(m, `"id":`); found {
				id, _, _ = strings.Cut(id, ",")
				host.send(fmt.Sprintf(`{"kind":"response","sessionId":%q,"id":%s,"result":{}}`, session, id))
				other.until(fmt.Sprintf(`"id":%d`, n+1))
				answered = true
			}
		}
		if n%400 != 0 {
			continue
		}
		if grown := int64(heap()) - int64(before); grown > 8<<20 {
			t.Errorf("after %d MiB, the hub holds %d KiB more", n*part>>20, grown>>10)
		}
	}
	host.send(fmt.Sprintf(`{"kind":"downloadEnds","guid":"G","totalBytes":%d}`, parts*part))
	if got := taker.until("Browser.downloadProgress"); !strings.Contains(got, `"completed"`) {
		t.Error(got)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("the directory has %v", list)
	}
	if info, err := os.Stat(filepath.Join(dir, "large.bin")); err != nil || info.Size() != parts*part {
		t.Errorf("%v, %v, want %d bytes", info, err, parts*part)
	}
}

// downloadTokens are those of TestR332DownloadsOverHTTP.
const downloadTokens = `tokens:
  - {name: ann, token: anns-token-0123456789, role: client, scope: full}
  - {name: ben, token: bens-token-0123456789, role: client, scope: full}
  - {name: reader, token: reader-token-0123456789, role: client, scope: readonly}
  - {name: driver, token: driver-token-0123456789, role: client, scope: standard}
  - {name: host, token: hosts-token-0123456789, role: host}
`

// evilPage is an HTML file that must never run at the hub.
const evilPage = `<!doctype html><script>fetch("/json/list")</script>`

// savePage has a frame of the Host download evilPage.
func (p *far) savePage(guid, name string) {
	p.send(`{"kind":"downloadBegins","targetId":"T1","frameId":"T1","guid":"` + guid + `","url":"http://app/x?token=abc","suggestedFilename":"` + name + `"}`)
	p.until(`"downloadTaken"`)
	p.send(`{"kind":"downloadPart","guid":"` + guid + `","data":"` + base64.StdEncoding.EncodeToString([]byte(evilPage)) + `"}`)
	p.until(`"downloadTaken"`)
	p.send(fmt.Sprintf(`{"kind":"downloadEnds","guid":%q,"totalBytes":%d}`, guid, len(evilPage)))
}

// TestR332DownloadsOverHTTP has a frame download an HTML page for the Client of one token, which leaves then.
// Its token fetches the file, in parts too, lists and deletes it. Nobody else can, and no browser would show it.
func TestR332DownloadsOverHTTP(t *testing.T) {
	file, _ := hubtest.TokenFile(t, downloadTokens)
	s := start(t, func(o *Options) { o.Tokens.File = file })
	host := dial(t, "ws://"+s.addr(true)+"/icdp/host", bearer("hosts-token-0123456789"))
	host.send(strings.Replace(ready, `"v":1,`, `"v":1,"features":["sessions","downloads"],`, 1))
	hubtest.Eventually(t, "the Host is there", func() bool {
		_, body := s.get(t, s.addr(false), "/json/list", bearer("anns-token-0123456789"))
		return strings.Contains(body, `"T1"`)
	})
	ann := dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer("anns-token-0123456789"))
	ann.send(`{"id":1,"method":"Browser.setDownloadBehavior","params":{"behavior":"allowAndName","downloadPath":"/tmp/x","eventsEnabled":true}}`)
	ann.until(`"id":1`)
	reader := dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer("reader-token-0123456789"))
	driver := dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer("driver-token-0123456789"))
	driver.send(`{"id":1,"method":"Browser.setDownloadBehavior","params":{"behavior":"allow","downloadPath":"/tmp/x","eventsEnabled":true}}`)
	driver.until(`"id":1`)
	host.savePage("G", "übersicht \\\"1\\\".html")
	told := ann.until(`"CdpHub.downloadFinished"`)
	var e struct {
		Params struct {
			State, Reason, ID, Name, Type, SHA256, URL, GUID, TargetID, Address string
			Size, Expires                                                       int64
		}
	}
	if err := json.Unmarshal([]byte(told), &e); err != nil {
		t.Fatal(err)
	}
	k, sum := e.Params, sha256.Sum256([]byte(evilPage))
	if k.State != "completed" || k.Name != `übersicht "1".html` || k.Size != int64(len(evilPage)) || k.SHA256 != hex.EncodeToString(sum[:]) || k.GUID != "G" || k.TargetID != "T1" ||
		k.Type != "text/html; charset=utf-8" || k.Address != "http://"+s.addr(false)+"/downloads/"+k.ID || k.URL != "http://app/x?token=abc" || k.Expires < time.Now().UnixMilli() {
		t.Errorf("told: %s", told)
	}
	if got := ann.until("Browser.downloadProgress"); !strings.Contains(got, `"completed"`) {
		t.Error(got)
	}
	if got := driver.until(`"CdpHub.downloadFinished"`); !strings.Contains(got, `"canceled"`) || !strings.Contains(got, "needs scope full") || strings.Contains(got, k.ID) {
		t.Errorf("a Client of scope standard was told %s", got)
	}
	ann.Conn.Close(wsconn.ReasonNormal)
	reader.Conn.Close(wsconn.ReasonNormal)
	head, err := http.NewRequestWithContext(t.Context(), http.MethodHead, k.Address, nil)
	if err != nil {
		t.Fatal(err)
	}
	head.Header = bearer("anns-token-0123456789")
	if a, err := http.DefaultClient.Do(head); err != nil || a.StatusCode != 200 || a.ContentLength != k.Size {
		t.Errorf("HEAD: %v, %v", a, err)
	} else {
		a.Body.Close()
	}
	path := "/downloads/" + k.ID
	for _, tt := range []struct {
		who, method, path, lines string
		status                   int
		body                     string
	}{
		{"ann", "GET", path, "", 200, evilPage},
		{"ann", "GET", path, "Range: bytes=0-8", 206, evilPage[:9]},
		{"ann", "GET", path, `If-None-Match: "` + k.SHA256 + `"`, 304, ""},
		{"ann", "GET", "/downloads", "", 200, `"id":"` + k.ID + `"`},
		{"ann", "POST", path, "Content-Length: 0", 405, ""},
		{"ann", "GET", path + "x", "", 404, "No download has this id"},
		{"ann", "GET", "/downloads/../" + k.ID, "", 404, ""},
		{"ann", "GET", "/hub/other" + path, "", 401, "belongs to another hub"},
		{"ann", "GET", path, "Origin: https://evil.example", 403, ""},
		{"ben", "GET", path, "", 404, ""},
		{"ben", "GET", "/downloads", "", 200, `{"downloads":[]}`},
		{"ben", "DELETE", path, "", 404, ""},
		{"reader", "GET", path, "", 403, "need a token of scope full"},
		{"reader", "DELETE", path, "", 403, ""},
		{"driver", "GET", "/downloads", "", 403, "this one has standard"},
		{"driver", "DELETE", path, "", 403, ""},
		{"host", "GET", path, "", 401, ""},
		{"nobody", "GET", path, "", 401, ""},
		{"ann", "GET", path, "", 200, evilPage}, // nothing of it has deleted the file
		{"ann", "DELETE", path, "", 204, ""},
		{"ann", "GET", path, "", 404, ""},
		{"ann", "DELETE", path, "", 404, ""},
		{"ann", "GET", "/downloads", "", 200, `{"downloads":[]}`},
	} {
		tokens := map[string]string{"ann": "anns-token", "ben": "bens-token", "reader": "reader-token", "driver": "driver-token", "host": "hosts-token", "nobody": "wrong-token"}
		lines := []string{"Host: localhost", "Authorization: Bearer " + tokens[tt.who] + "-0123456789"}
		if tt.lines != "" {
			lines = append(lines, tt.lines)
		}
		got := raw(t, s.addr(false), asking(tt.method+" "+tt.path+" HTTP/1.1", lines...))
		if got.status != tt.status || !strings.Contains(got.body, tt.body) {
			t.Errorf("%s: %s %s %s: %d %s, want %d with %s", tt.who, tt.method, tt.path, tt.lines, got.status, got.body, tt.status, tt.body)
		}
		if got.status != 200 || !strings.HasPrefix(tt.path, path) {
			continue
		}
		for name, want := range map[string]string{
			"Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'",
			"Content-Disposition": "attachment; filename*=utf-8''%C3%BCbersicht%20%221%22.html", "Cache-Control": "private, no-store", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got.header.Get(name) != want {
				t.Errorf("%s %s: the header %s is %q, want %q", tt.method, tt.path, name, got.header.Get(name), want)
			}
		}
	}
}

// TestR333CanceledDownloadsSayWhy has frames download what no Client can have.
func TestR333CanceledDownloadsSayWhy(t *testing.T) {
	s := start(t, func(o *Options) { o.Limits.DownloadSize = 10 })
	host := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
	host.send(strings.Replace(ready, `"v":1,`, `"v":1,"features":["sessions","downloads"],`, 1))
	s.await(t, `"targetId":"T1"`)
	c := s.client(t)
	for _, tt := range []struct {
		behavior string
		happens  func()
		why      string
	}{
		{"allow", func() { host.savePage("A", "a.html") }, "the hub has no room for more files at a time"},
		{"allow", func() {
			host.send(`{"kind":"downloadBegins","targetId":"T1","frameId":"T1","guid":"B","url":"http://app/x","suggestedFilename":"b"}`)
			host.send(`{"kind":"downloadEnds","guid":"B"}`)
		}, "the page could not read the file"},
		{"allow", func() {
			host.send(`{"kind":"downloadBegins","targetId":"T1","frameId":"T1","guid":"C","url":"http://app/x","suggestedFilename":"c"}`)
			host.send(`{"kind":"downloadPart","guid":"C","data":"aGk="}`)
			host.send(`{"kind":"downloadEnds","guid":"C","totalBytes":3}`)
		}, "parts of the file are missing"},
		{"deny", func() { host.savePage("D", "d") }, "no file was asked for"},
		{"allow", func() {
			host.send(`{"kind":"downloadBegins","targetId":"T1","frameId":"T1","guid":"E","url":"http://app/x","suggestedFilename":"e"}`)
			host.send(`{"kind":"targetDestroyed","targetId":"T1"}`)
		}, "the page has ended"},
	} {
		c.send(`{"id":1,"method":"Browser.setDownloadBehavior","params":{"behavior":"` + tt.behavior + `","eventsEnabled":true}}`)
		c.until(`"id":1`)
		tt.happens()
		if got := c.until(`"CdpHub.downloadFinished"`); !strings.Contains(got, `"state":"canceled","reason":"`+tt.why) || strings.Contains(got, `"id"`) {
			t.Errorf("want %q, was told %s", tt.why, got)
		}
		if got := c.until("Browser.downloadProgress"); !strings.Contains(got, `"canceled"`) {
			t.Error(got)
		}
	}
}
