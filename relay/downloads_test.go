package relay

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// heldFile is a DownloadFile in memory, which keeps the beginning of a long file.
type heldFile struct {
	content []byte
	size    int
	save    func(folder, name string, content []byte) error
	open    *int
	full    int // bytes that fit; 0 is no limit
}

func (f *heldFile) Write(part []byte) (int, error) {
	if f.size < 1<<20 {
		f.content = append(f.content, part...)
	}
	if f.size += len(part); f.full > 0 && f.size > f.full {
		return 0, errors.New("no space left on device")
	}
	return len(part), nil
}

func (f *heldFile) Name() string                      { return "/hub/file" }
func (f *heldFile) Measure() (size int64, sum string) { return int64(f.size), "hash" }

func (f *heldFile) SaveTo(folder, name string) (path string, err error) {
	return folder + "/" + name, f.save(folder, name, f.content)
}

func (f *heldFile) Close() error {
	*f.open--
	return nil
}

// saving is Options.Download with files in memory.
func saving(save func(folder, name string, content []byte) error) func() (DownloadFile, error) {
	return func() (DownloadFile, error) { return &heldFile{save: save, open: new(int)}, nil }
}

// downloading is a hub with a Client that takes downloads, and a frame that has begun one, G.
type downloading struct {
	hub    *Hub
	events bridge.Events
	client *Client
	in     *inbox
	saved  []string
	open   int
	full   int // of each file, see heldFile
	wanted bool
}

func newDownloading(t *testing.T, wish string) *downloading {
	d := &downloading{in: &inbox{}}
	d.hub = newHub(t, Options{Download: func() (DownloadFile, error) {
		d.open++
		return &heldFile{save: d.save, open: &d.open, full: d.full}, nil
	}})
	d.events = setHost(d.hub, &mute{}, list(2))
	d.client = join(t, d.hub, d.in)
	d.client.Receive([]byte(`{"id":1,"method":"Browser.setDownloadBehavior","params":{` + wish + `}}`))
	d.wanted = d.events.DownloadBegins(bridge.Download{TargetID: "T0", FrameID: "F", GUID: "G", URL: "http://app/a", SuggestedFilename: "a.txt"})
	return d
}

func (d *downloading) save(folder, name string, content []byte) error {
	if folder == "/out" {
		return errors.New("not below the directory")
	}
	d.saved = append(d.saved, folder+"/"+name+" "+string(content))
	return nil
}

// ended are the states that the Client got, and what is left of the download.
func (d *downloading) ended() string {
	var states []string
	for _, m := range d.in.take() {
		if state := text(m, `"state":"`); state != "" && strings.Contains(m, downloadProgress) {
			states = append(states, state)
		}
	}
	d.hub.mu.Lock()
	defer d.hub.mu.Unlock()
	return fmt.Sprintf("%q %q, %d open, %d under way", states, d.saved, d.open, len(d.hub.downloads.running))
}

// TestDownloadsEnd ends a download in each way: each Client that has asked gets one end, and
// nothing of the file stays but what was saved.
func TestDownloadsEnd(t *testing.T) {
	const canceled, wish = `["canceled"] [], 0 open, 0 under way`, `"behavior":"allow","downloadPath":"/in","eventsEnabled":true`
	complete := func(d *downloading) { d.events.DownloadEnds("G", 4) }
	for name, tt := range map[string]struct {
		wish string
		ends func(*downloading)
		want string
	}{
		"complete":        {wish, complete, `["completed"] ["/in/a.txt hi++"], 0 open, 0 under way`},
		"by its guid":     {strings.Replace(wish, "allow", "allowAndName", 1), complete, `["completed"] ["/in/G hi++"], 0 open, 0 under way`},
		"without events":  {strings.Replace(wish, "true", "false", 1), complete, `[] ["/in/a.txt hi++"], 0 open, 0 under way`},
		"somewhere else":  {strings.Replace(wish, "/in", "/out", 1), complete, canceled},
		"nowhere":         {strings.Replace(wish, "allow", "deny", 1), complete, canceled},
		"part missing":    {wish, func(d *downloading) { d.events.DownloadEnds("G", 5) }, canceled},
		"canceled":        {wish, func(d *downloading) { d.events.DownloadEnds("G", -1) }, canceled},
		"target gone":     {wish, func(d *downloading) { d.events.TargetGone("T0") }, canceled},
		"host gone":       {wish, func(d *downloading) { d.events.HostGone(false) }, canceled},
		"host lost":       {wish, func(d *downloading) { d.events.HostGone(true) }, canceled},
		"host anew":       {wish, func(d *downloading) { d.events.Reannounced(bridge.Announcement{Targets: list(1)}) }, canceled},
		"host replaced":   {wish, func(d *downloading) { setHost(d.hub, &mute{}, list(1)); d.events.HostGone(false) }, canceled},
		"another is gone": {wish, func(d *downloading) { d.events.TargetGone("T1"); complete(d) }, `["completed"] ["/in/a.txt hi++"], 0 open, 0 under way`},
		"client leaves": {wish, func(d *downloading) {
			if d.client.Leave(); d.events.DownloadPart("G", []byte("x")) {
				t.Error("more is wanted, by nobody")
			}
			if d.open != 0 {
				t.Error("the file stays open")
			}
			d.events.DownloadEnds("G", 5)
		}, `[] [], 0 open, 0 under way`},
		"too long": {wish, func(d *downloading) {
			part, parts := make([]byte, 1<<20), 0
			for ; d.events.DownloadPart("G", part) && parts < 2*maxDownload>>20; parts++ {
			}
			if parts != maxDownload>>20-1 || d.open != 0 {
				t.Errorf("%d MiB are taken, and %d files stay open", parts, d.open)
			}
			d.events.DownloadEnds("G", int64(parts+1)<<20+4)
		}, canceled},
		"disk full": {wish, func(d *downloading) {
			d.hub.mu.Lock()
			d.hub.downloads.running[d.hub.sides.list[0].connection]["G"].file.(*heldFile).full = 5
			d.hub.mu.Unlock()
			if d.events.DownloadPart("G", []byte("xx")) {
				t.Error("more is wanted")
			}
			d.events.DownloadEnds("G", 6)
		}, canceled},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDownloading(t, tt.wish)
			if d.wanted != strings.Contains(tt.wish, `"allow`) {
				t.Errorf("the content is wanted: %v", d.wanted)
			}
			if d.wanted && (!d.events.DownloadPart("G", []byte("hi")) || !d.events.DownloadPart("G", []byte("++"))) {
				t.Error("a part is not wanted")
			}
			tt.ends(d)
			if got := d.ended(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestDownloadsBegin checks which downloads a Host may begin.
func TestDownloadsBegin(t *testing.T) {
	d := newDownloading(t, `"behavior":"allow","downloadPath":"/in","eventsEnabled":true`)
	const begun = `{"method":"Browser.downloadWillBegin","params":{"frameId":"F","guid":"G","url":"http://app/a","suggestedFilename":"a.txt"}}`
	if got := d.in.take(); !slices.Contains(got, begun) {
		t.Errorf("got %q", got)
	}
	for _, b := range []bridge.Download{
		{TargetID: "T0", GUID: "G"}, {TargetID: "none", GUID: "H"}, {TargetID: "T0", GUID: ""}, {TargetID: "T0", GUID: "../H"}, {TargetID: "T0", GUID: strings.Repeat("x", 1<<10)},
	} {
		if d.events.DownloadBegins(b) || d.events.DownloadPart("H", []byte("x")) || len(d.in.take()) > 0 {
			t.Errorf("%+v begins", b)
		}
	}
	d.events.DownloadBegins(bridge.Download{TargetID: "T0", GUID: "E", SuggestedFilename: "../e"})
	d.events.DownloadEnds("E", 0)
	if got := d.ended(); got != `["completed"] ["/in/E "], 0 open, 1 under way` {
		t.Errorf("an empty file: %s", got)
	}
}

// TestDownloadsOfVersionOne sends the file in the last event, as Hosts of version 1 do.
func TestDownloadsOfVersionOne(t *testing.T) {
	for contents, want := range map[string]string{`"aGk="`: `["completed"] ["/in/G hi"], 0 open, 1 under way`, `""`: `["canceled"] [], 0 open, 1 under way`, `7`: `[] [], 0 open, 1 under way`} {
		d := newDownloading(t, `"behavior":"allowAndName","downloadPath":"/in","eventsEnabled":true`)
		d.events.Event("T0", downloadProgress, []byte(`{"guid":"G","totalBytes":2,"receivedBytes":2,"state":"completed","suggestedFilename":"a.txt","contents":`+contents+`}`))
		if got := d.ended(); got != want {
			t.Errorf("%s: %s, want %s", contents, got, want)
		}
	}
}

// TestSetDownloads checks what is kept of Browser.setDownloadBehavior.
func TestSetDownloads(t *testing.T) {
	h := newHub(t, Options{})
	c := &Client{}
	kept := func() string {
		a := h.downloads.takers[origin{c, nil}]
		return fmt.Sprint(*a.Wishes[""], a.Events)
	}
	ask := func(p params) *wire.Error {
		_, err := setDownloads(h, &request{client: c, args: p})
		return err
	}
	if ask(params{behavior: "save"}) == nil {
		t.Error("an unknown behavior is taken")
	}
	if err := ask(params{behavior: "allowAndName", downloadPath: "/in", eventsEnabled: true}); err != nil || kept() != "{allowAndName /in} true" {
		t.Errorf("%v %s", err, kept())
	}
	defer delete(h.downloads.takers, origin{c, nil})
	if c.noFiles = true; ask(params{behavior: "allow"}) != nil || kept() != "{allow } false" {
		t.Errorf("a client that names no folder: %s", kept())
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
	if len(h.downloads.takers) > 0 {
		t.Errorf("%d wishes of sessions that have ended are kept", len(h.downloads.takers))
	}
	for _, behavior := range []string{"deny", "allow"} {
		c.Receive([]byte(`{"id":4,"method":"Browser.setDownloadBehavior","params":{"behavior":"` + behavior + `","downloadPath":"/` + strings.Repeat("x", bridge.MaxFolder) + `"}}`))
	}
	if kept := len(h.downloads.takers[origin{c, nil}].Wishes[""].Folder); kept > 0 {
		t.Errorf("%d bytes of a path are kept", kept)
	}
	if c.Leave(); len(h.downloads.takers) > 0 {
		t.Error("the wish of a Client that has left is kept")
	}
}
