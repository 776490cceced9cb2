package page

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/targets"
)

// FuzzR58HostMessages lets a Host say anything, a message a line. Whatever the
// hub hears of it must be what the message at hand says, and fit to be
// spliced into another.
func FuzzR58HostMessages(f *testing.F) {
	for _, s := range []string{
		readyT1 + "\n" + `{"kind":"event","targetId":"T1","method":"A.b","params":{"x":[1,2]},"sessionId":"S"}`,
		`{"kind":"response","sessionId":"S","id":7,"result":{"n":1e400,"n":1}}` + "\n" + `{"kind":"browserResult","id":8,"error":{"code":-1}}`,
		`{"kind":"response","sessionId":"S","id":7,"result":{"a":tru}}` + "\n" + `{"kind":"response","id":7,"id":null,"result":[]}`,
		`{"\u006bind":"targetInfoChanged","target":{"targetId":"T\ud83d","title":"\u001b","TARGETID":"x"}}` + "\n" + `{"kind":"targetDestroyed","targetId":"T1"}`,
		`{"kind":"ready","v":1,"hostId":"H","targets":[5,{"targetId":"A","openerId":"B"}],"handles":["A.*"],"features":["eval","sessions"],"browser":{"product":"P"}}` +
			"\n" + `{"kind":"event","targetId":"T1","method":"A.b","sessionIds":["S","\u0053","S2"]}` + "\n" + `{"kind":"event","method":"A.b","sessionIds":["S",7]}` +
			"\n" + `{"kind":"downloadBegins","targetId":"T","guid":"G","url":"u","suggestedFilename":"a"}` + "\n" + `{"kind":"downloadPart","guid":"G","data":"aGk="}` + "\n" + `{"kind":"downloadEnds","guid":"G","totalBytes":2}` +
			"\n" + `{"kind":"evalput","key":"K","source":"s"}` + "\n" + `{"kind":"alive","n":3}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if !utf8.Valid(in) {
			return // such a frame ends its connection
		}
		conn, far := wsconn.Pipe(Limits(), wsconn.Limits{})
		conn.Close(wsconn.ReasonGone) // nobody reads what the hub says
		far.Close(wsconn.ReasonGone)
		w := &witness{t: t}
		p := &Host{conn: conn, hub: w, log: zap.NewNop(), ready: time.NewTimer(time.Hour)}
		p.abilities.Store(&abilities{})
		defer p.stopWaiting()
		defer p.alive.stop()
		hear := func(m []byte) {
			before := bytes.Clone(m)
			w.message = before
			if head, piece, isChunk := bytes.Cut(m, lineBreak); isChunk { // see below
				if _, err := readChunk(head); err != nil {
					piece = spoiled
				}
				w.message = slices.Concat(p.pieces, piece)
			}
			p.receive(m)
			if !bytes.Equal(m, before) {
				t.Fatalf("%q was changed to %q", before, m)
			}
		}
		hear([]byte(`{"kind":"ready","v":1,"targets":[],"features":["sessions","eval","sessionIds","payloadLast","chunks","downloads"]}`))
		var chunk []byte
		for m := range bytes.SplitSeq(in, lineBreak) {
			switch {
			case chunk != nil:
				hear(slices.Concat(chunk, lineBreak, m))
				chunk = nil
			case bytes.HasPrefix(m, chunkBegins):
				chunk = m
			default:
				hear(m)
			}
		}
	})
}

// witness is a hub that checks what it hears against the message at hand.
type witness struct {
	t       *testing.T
	message []byte
}

// object reads an object as a Host's page means it: the last of doubled keys
// counts, and null is as good as absent. It is nil for what is no object.
func object(raw []byte) map[string]json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil
	}
	all := map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
		if string(value) != "null" {
			all[key.(string)] = value
		}
	}
	return all
}

func text(raw json.RawMessage) (s string) {
	json.Unmarshal(raw, &s)
	return s
}

// says wants members of the message at hand to have these texts.
func (w *witness) says(texts map[string]string) map[string]json.RawMessage {
	w.t.Helper()
	m := object(w.message)
	if m == nil || !json.Valid(w.message) {
		w.t.Fatalf("heard of %q", w.message)
	}
	for key, want := range texts {
		if got := text(m[key]); got != want {
			w.t.Fatalf("of %q was heard %s %q, want %q", w.message, key, want, got)
		}
	}
	return m
}

// passes wants a value to be that member of the message as it stands, or {}
// where there is none.
func (w *witness) passes(value []byte, member json.RawMessage) {
	w.t.Helper()
	if member == nil {
		member = wire.Empty
	}
	if !bytes.Equal(value, member) || value[0] != '{' || !wire.Valid(value) {
		w.t.Fatalf("of %q was passed on %q", w.message, value)
	}
}

func (w *witness) announced(a bridge.Announcement) {
	w.t.Helper()
	m := w.says(map[string]string{"kind": "ready"})
	if a.HostID != "" && a.HostID != text(m["hostId"]) {
		w.t.Fatalf("of %q was heard the hostId %q", w.message, a.HostID)
	}
	var list []json.RawMessage
	json.Unmarshal(m["targets"], &list)
	for _, t := range a.Targets {
		found := false
		for _, raw := range list {
			found = found || text(object(raw)["targetId"]) == t.ID
		}
		w.target(t, found)
	}
}

func (w *witness) target(t targets.Info, found bool) {
	w.t.Helper()
	if !found || t.ID == "" || len(t.ID) > targets.MaxID || len(t.Title) > targets.MaxTitle || len(t.URL) > targets.MaxURL ||
		!utf8.ValidString(t.ID+t.Title+t.URL+t.OpenerID) {
		w.t.Fatalf("of %q was heard the target %+v", w.message, t)
	}
}

func (w *witness) SetHost(_ bridge.Host, a bridge.Announcement) (bridge.Events, error) {
	w.announced(a)
	return w, nil
}

func (w *witness) Reannounced(a bridge.Announcement) { w.announced(a) }

func (w *witness) TargetCreated(t targets.Info) bool {
	m := w.says(map[string]string{"kind": "targetCreated"})
	w.target(t, text(object(m["target"])["targetId"]) == t.ID)
	return true
}

func (w *witness) TargetChanged(t targets.Info) {
	m := w.says(map[string]string{"kind": "targetInfoChanged"})
	w.target(t, text(object(m["target"])["targetId"]) == t.ID)
}

func (w *witness) TargetGone(id string) {
	w.says(map[string]string{"kind": "targetDestroyed", "targetId": id})
}

func (w *witness) Result(call bridge.CallID, sessionID string, result, cdpErr []byte) {
	if bytes.Equal(cdpErr, invalidAnswer) && result == nil {
		return // of an answer that may be no JSON at all
	}
	m := w.says(map[string]string{"sessionId": sessionID})
	if n, ok := wire.Int(m["id"]); !ok || n != int64(call) {
		w.t.Fatalf("of %q was heard the id %d", w.message, call)
	}
	switch {
	case cdpErr != nil && result != nil:
		w.t.Fatalf("of %q were heard a result and an error", w.message)
	case cdpErr != nil:
		w.passes(cdpErr, m["error"])
	default:
		w.passes(result, m["result"])
	}
}

func (w *witness) Opened(bridge.Nested) bool { return true }

func (w *witness) Closed(string) {}

func (w *witness) Event(targetID, method string, params []byte) {
	w.passes(params, w.says(map[string]string{"kind": "event", "targetId": targetID, "method": method})["params"])
}

func (w *witness) SessionEvent(sessionID, method string, params []byte) {
	w.passes(params, w.says(map[string]string{"kind": "event", "sessionId": sessionID, "method": method})["params"])
}

func (w *witness) SessionsEvent(ids []string, method string, params []byte) {
	m := w.says(map[string]string{"kind": "event", "method": method})
	var named []string
	if err := json.Unmarshal(m["sessionIds"], &named); err != nil || m["sessionId"] != nil {
		w.t.Fatalf("of %q were heard the sessions %q", w.message, ids)
	}
	if len(named) != len(ids) {
		w.t.Fatalf("of %q were heard %d sessions", w.message, len(ids))
	}
	for i, id := range ids {
		if id != named[i] {
			w.t.Fatalf("of %q was heard the session %q, want %q", w.message, id, named[i])
		}
	}
	w.passes(params, m["params"])
}

func (w *witness) PutScript(key, source string) bool {
	w.says(map[string]string{"kind": "evalput", "key": key, "source": source})
	return true
}

func (w *witness) DownloadBegins(d bridge.Download) bool {
	w.says(map[string]string{"kind": "downloadBegins", "guid": d.GUID, "targetId": d.TargetID, "url": d.URL, "suggestedFilename": d.SuggestedFilename})
	return true
}

func (w *witness) DownloadPart(guid string, part []byte) bool {
	m := w.says(map[string]string{"kind": "downloadPart", "guid": guid})
	if want, err := base64.StdEncoding.DecodeString(text(m["data"])); err != nil || !bytes.Equal(part, want) {
		w.t.Fatalf("of %q was heard the part %q", w.message, part)
	}
	return true
}

func (w *witness) DownloadEnds(guid string, _ int64) {
	w.says(map[string]string{"kind": "downloadEnds", "guid": guid})
}

func (w *witness) DownloadFinished(string, bridge.Finished) bool {
	w.t.Fatal("a page has finished the download of a browser")
	return false
}

func (w *witness) Fail(string, *bridge.Error) { w.t.Fatal("a page has failed a session") }
func (w *witness) HostGone(bool)              {}
