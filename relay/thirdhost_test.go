package relay

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/bridge"
)

// A third kind of Host, beside a page and a browser, which package relay knows
// nothing of: it has a slot of its own and abilities that those two do not have
// together. Each kind must pass every transcript.

// extension is a Host that speaks for the extension of a browser. It stands
// beside others, and its abilities are in part those of a page, in part those of
// a browser.
type extension struct{ slot string }

func (e extension) Slot() string                { return e.slot }
func (extension) Refresh(told func())           { told() }
func (extension) WaitForRoom(*bridge.Pace, int) {}

// firefox is a Host that serves the browser level, and stands beside Chromiums.
type firefox struct{ announced }

func (firefox) Slot() string                             { return "firefox" }
func (f firefox) AttachedToBrowser(at bridge.Attachment) { f.Attached(at) }

func (f firefox) Inherit(from, to string)     { browserHost(f).Inherit(from, to) }
func (firefox) WaitForRoom(*bridge.Pace, int) {}
func (firefox) Refresh(told func())           { told() }

// inSlot makes an extension of a Host of the transcripts.
func inSlot(host bridge.Host, slot string) bridge.Host {
	e := extension{slot}
	switch h := host.(type) {
	case returning:
		return struct {
			returning
			extension
		}{h, e}
	case announced:
		return struct {
			announced
			extension
		}{h, e}
	case *fakeHost:
		return struct {
			*fakeHost
			extension
		}{h, e}
	}
	return host
}

// TestThirdKindOfHost plays all transcripts with Hosts of other kinds in the place
// of those that are meant.
func TestThirdKindOfHost(t *testing.T) {
	extensions := func(host bridge.Host) bridge.Host { return inSlot(host, "extension") }
	firefoxes := func(host bridge.Host) bridge.Host {
		if b, ok := host.(browserHost); ok {
			return firefox(b)
		}
		return host
	}
	for name, dress := range map[string]func(bridge.Host) bridge.Host{
		"extension":         extensions,
		"firefox":           firefoxes,
		"extension,firefox": func(host bridge.Host) bridge.Host { return extensions(firefoxes(host)) },
	} {
		t.Run(name, func(t *testing.T) {
			playAll(t, func(st *stage, file string) {
				if !strings.Contains(file, "host_beside_host") { // it has slots of its own
					st.dress = dress
				}
			})
		})
	}
}

// TestThirdKindOfHostBeside plays all transcripts while a Host of another kind
// is connected: it is asked nothing, and changes nothing for others.
func TestThirdKindOfHostBeside(t *testing.T) {
	playAll(t, func(st *stage, _ string) {
		bystander := &fakeHost{stage: st, name: "bystander"}
		bystander.events = setHost(st.hub, inSlot(announced{bystander}, "bystander"), nil)
		st.hosts["bystander"], st.beside = bystander, true
	})
}

// playAll plays all transcripts, each on a stage that was made ready for it.
func playAll(t *testing.T, ready func(st *stage, file string)) {
	if *update {
		t.Skip("TestTranscripts rewrites them")
	}
	files, err := filepath.Glob("../testdata/transcripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := newStage(t)
				ready(st, file)
				playFile(t, st, file)
			})
		})
	}
}

// TestTwoHostsServeTheBrowserLevel has two such Hosts in different slots: the one
// that came first serves it, and the other once that has gone.
func TestTwoHostsServeTheBrowserLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t)
		step := func(step string, want ...string) {
			t.Helper()
			if err := st.do(step); err != nil {
				t.Fatalf("%s: %v", step, err)
			}
			synctest.Wait()
			if got := st.take(); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s:\n got  %q\n want %q", step, got, want)
			}
			if err := st.hub.check(); err != nil {
				t.Fatal(err)
			}
		}
		step("host ready browser B1")
		st.dress = func(host bridge.Host) bridge.Host { return firefox{host.(browserHost).announced} }
		step("host2 ready browser F1")
		step(`c1 {"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`,
			"< host attached S1 -", `< host command 1 S1 - Target.setDiscoverTargets {"discover":true}`)
		step(`host2 opened S1 S2 F1 page`) // in no session of its own
		if got := len(st.hub.Targets(nil)); got != 2 {
			t.Errorf("%d Targets, want those of both", got)
		}
		step("host leaves",
			`< c1 {"id":1,"error":{"code":-32000,"message":"`+errHostGone.Message+`"}}`, `< c1 {"method":"Target.targetDestroyed","params":{"targetId":"B1"}}`,
			"< host2 attached S2 -", `< host2 command 2 S2 - Target.setDiscoverTargets {"discover":true}`)
		step(`c1 {"id":2,"method":"Storage.getCookies"}`, "< host2 command 3 S2 - Storage.getCookies -")
		step(`host2 result 3 S2 {"cookies":[]}`, `< c1 {"id":2,"result":{"cookies":[]}}`)
		step("c1 leave", "< host2 release S2 -")
		st.end()
	})
}
