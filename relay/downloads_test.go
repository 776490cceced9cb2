package relay

import (
	"errors"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// TestSaved checks that a Client hears of a file only as it was written for it.
func TestSaved(t *testing.T) {
	var wrote string
	h := &Hub{opts: Options{Download: func(folder, name string, contents []byte) error {
		if folder != "/in" {
			return errors.New("not below the directory")
		}
		wrote = name + " " + string(contents)
		return nil
	}}}
	const canceled, completed = `{"guid":"G","totalBytes":2,"receivedBytes":2,"state":"canceled"}`, `{"guid":"G","totalBytes":2,"receivedBytes":2,"state":"completed"}`
	for name, tt := range map[string]struct {
		wish        downloadWish
		want, wrote string
	}{
		"by its guid":    {downloadWish{events: true, byGUID: true, folder: "/in"}, completed, "G hi"},
		"by its name":    {downloadWish{folder: "/in"}, completed, "a.txt hi"},
		"somewhere else": {downloadWish{events: true, folder: "/out"}, canceled, ""},
		"nowhere":        {downloadWish{events: true}, canceled, ""},
	} {
		t.Run(name, func(t *testing.T) {
			wrote = ""
			got := h.saved(downloadTaker{downloadWish: tt.wish}, downloadState{"G", 2, 2, "completed", "a.txt", []byte("hi")})
			if string(got) != tt.want || wrote != tt.wrote {
				t.Errorf("%s, wrote %q", got, wrote)
			}
		})
	}
}

// TestSetDownloads checks what is kept of Browser.setDownloadBehavior.
func TestSetDownloads(t *testing.T) {
	c := &Client{}
	ask := func(p params) *wire.Error {
		_, err := setDownloads(nil, &request{client: c, args: p})
		return err
	}
	if ask(params{behavior: "save"}) == nil {
		t.Error("an unknown behavior is taken")
	}
	if err := ask(params{behavior: "allowAndName", downloadPath: "/in", eventsEnabled: true}); err != nil || c.downloads[nil] != (downloadWish{true, true, "/in"}) {
		t.Errorf("%v %+v", err, c.downloads)
	}
	if c.noFiles = true; ask(params{behavior: "allow", downloadPath: "/in"}) != nil || c.downloads[nil] != (downloadWish{}) {
		t.Errorf("a client that may name no files: %+v", c.downloads)
	}
}

// TestR152WishesEndWithTheirSessions asks for downloads in sessions that end, and in words
// that are as long as a message.
func TestR152WishesEndWithTheirSessions(t *testing.T) {
	h := newHub(t, Options{})
	p := &inbox{}
	c := join(t, h, p)
	for range 100 {
		p.take()
		c.Receive([]byte(`{"id":1,"method":"Target.attachToBrowserTarget"}`))
		in := `,"sessionId":"` + text(p.take()[1], `"sessionId":"`) + `"}`
		c.Receive([]byte(`{"id":2,"method":"Browser.setDownloadBehavior","params":{"behavior":"deny","eventsEnabled":true}` + in))
		if got := p.take(); len(got) != 1 || strings.Contains(got[0], "error") {
			t.Fatalf("%q", got)
		}
		c.Receive([]byte(`{"id":3,"method":"Target.detachFromTarget","params":{"sessionId":"` + text(in, `"sessionId":"`) + `"}}`))
	}
	if len(c.downloads) > 0 {
		t.Errorf("%d wishes of sessions that have ended are kept", len(c.downloads))
	}
	for _, behavior := range []string{"deny", "allow"} {
		c.Receive([]byte(`{"id":4,"method":"Browser.setDownloadBehavior","params":{"behavior":"` + behavior + `","downloadPath":"/` + strings.Repeat("x", bridge.MaxFolder) + `"}}`))
	}
	if kept := len(c.downloads[nil].folder); kept > 0 {
		t.Errorf("%d bytes of a path are kept", kept)
	}
}
