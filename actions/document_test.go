package actions

import "testing"

// TestMainDocument wants a navigation to have arrived with its document, and to fail with the
// request of its loader while that document is not committed.
func TestMainDocument(t *testing.T) {
	d := mainDocument{loads: map[string]*load{}, leaving: true}
	committed := frameEvent{}
	committed.Frame.LoaderID, committed.Frame.URL = "B", "http://app/b"
	d.load("B").failed = "net::ERR_FAILED"
	if d.arrived("B", "A") || d.failure("B") == "" || d.failure("") != "" {
		t.Error("a document that has failed has arrived, or is no failure")
	}
	d.commit(committed)
	if !d.arrived("B", "A") || !d.arrived("", "A") || d.arrived("", "B") || d.failure("B") != "" || d.leaving || !d.reached(Commit) || d.reached(Load) {
		t.Errorf("after the commit: %+v", d)
	}
	committed.Type, committed.Frame.LoaderID = "BackForwardCacheRestore", "C"
	if d.commit(committed); !d.reached(NetworkIdle) || !d.arrived("B", "A") {
		t.Errorf("after going back: %+v", d)
	}
}

// TestPageFrames wants a frame to lose its script with its process, and all of it when it goes.
func TestPageFrames(t *testing.T) {
	f := pageFrames{sessions: map[string]string{}, worlds: map[string]*world{"F": {numbers: []span{{3, 5}, {9, 10}}}, "G": {numbers: []span{{5, 9}}}}, chosen: "H"}
	for ref, want := range map[string]string{"f1e3": "F", "e9": "F", "f1f2e5": "G", "e2": "H", "f1": "H", "e": "H", "e10": "H"} {
		if got := f.find(query{By: string(YAML), Value: ref}); got != want {
			t.Errorf("%s is looked for in %q, want %q", ref, got, want)
		}
	}
	f.chosen = "G"
	if f.attach("F", "S"); f.sessions["F"] != "S" || f.worlds["F"] != nil || f.worlds["G"] == nil {
		t.Errorf("after an attachment: %+v", f)
	}
	f.worlds["F"] = &world{}
	if f.detach("S"); len(f.sessions) != 0 || f.worlds["F"] != nil || f.worlds["G"] == nil {
		t.Errorf("after the end of a session: %+v", f)
	}
	if f.forget("G"); f.chosen != "" || len(f.worlds) != 0 {
		t.Errorf("after the end of a frame: %+v", f)
	}
}
