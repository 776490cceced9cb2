package relay

import (
	"errors"
	"testing"

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
