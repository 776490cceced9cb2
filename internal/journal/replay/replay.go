// Package replay serves a recording over HTTP as a hub serves its timelines:
//
//	r, err := journal.Open("….ndjson.zst")
//	handler, key := replay.Handler(r)
//	err = http.ListenAndServe("127.0.0.1:8080", handler) // the page is at http://127.0.0.1:8080/#token=KEY
//
// The page that shows it is the dashboard's page of one target.
package replay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/journal"
	"github.com/cdphub/cdphub/internal/uiwire"
	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/internal/webpage"
	"github.com/cdphub/cdphub/web"
)

// Handler serves a recording:
//
//	/                          the dashboard, at the one target
//	/ui/app.js, /ui/app.css    its script and stylesheet
//	/ui/api/state              as on a hub with the one target
//	/ui/api/timeline?after=SEQ {"entries":[…]}
//	/ui/api/picture?seq=SEQ    a JPEG
//
// What is below /ui/api needs the key, as a token: a recording is not for every program of
// this machine, nor for the pages of a browser that programs drive. It answers only requests
// that name this machine in their Host header, and none of foreign pages.
func Handler(r *journal.Recording) (h http.Handler, key string, err error) {
	p := player{r}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { webpage.WriteDashboard(w, webpage.Dashboard{}) })
	mux.HandleFunc("GET /ui/app.js", serveBytes("text/javascript; charset=utf-8", bundleFile("dashboard.js")))
	mux.HandleFunc("GET /ui/app.css", serveBytes("text/css; charset=utf-8", bundleFile("dashboard.css")))
	mux.HandleFunc("GET /favicon.ico", serveBytes("image/svg+xml", []byte(web.Favicon)))
	api := http.NewServeMux()
	api.HandleFunc("GET /ui/api/state", p.serveState)
	api.HandleFunc("GET /ui/api/events", p.serveEvents)
	api.HandleFunc("GET /ui/api/timeline", p.serveTimeline)
	api.HandleFunc("GET /ui/api/picture", p.servePicture)
	key = auth.NewToken()
	tokens, err := auth.NewTokens(auth.TokenOptions{Client: key})
	if err != nil {
		return nil, "", err
	}
	gate := auth.NewGate(tokens, auth.GateOptions{NoURLs: true})
	mux.Handle("/ui/api/", gate.Require(func(r *http.Request) auth.Ask {
		return auth.Ask{Role: auth.RoleClient, Hub: auth.EveryHub, Path: r.URL.Path, Listener: "replay"}
	}, api))
	// The zero rules allow names of this machine only.
	var rules auth.Rules
	return rules.Guard(rules.Clients(mux)), key, nil
}

// bundleFile is a file of package web.
func bundleFile(name string) []byte {
	body, err := web.Dist.ReadFile("dist/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return body
}

func serveBytes(kind string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Write(body) //nolint:errcheck // a peer that is gone
	}
}

// player answers for one recording.
type player struct{ r *journal.Recording }

// mostDrivers is how many Clients are named of those that acted on the target.
const mostDrivers = 8

// state is what a hub with this one target would answer, as far as the recording
// knows it.
func (p player) state() uiwire.State {
	t := uiwire.Target{TargetID: p.r.Target, Type: "page", Title: cmp.Or(p.r.Title(), p.r.Address()), URL: p.r.Address(), Drivers: []string{}}
	h := uiwire.Hub{Hub: p.r.Hub}
	for _, e := range p.r.Entries {
		switch e.Kind {
		case journal.Reads:
			continue
		case journal.Command:
		default:
			h.Counters.Events++
			continue
		}
		h.Counters.Received++
		h.Counters.Answered++
		t.Last = &uiwire.Last{Method: e.Method, At: e.At}
		if e.Client != "" && !slices.Contains(t.Drivers, e.Client) && len(t.Drivers) < mostDrivers {
			t.Drivers = append(t.Drivers, e.Client)
		}
	}
	h.Targets = []uiwire.Target{t}
	return uiwire.State{
		Version: version.Current().Version, Now: time.Now().UnixMilli(), You: uiwire.Asker{Name: "replay", Scope: "readonly"},
		Hubs: []uiwire.Hub{h}, Closes: []uiwire.Close{}, Replay: &uiwire.Replay{Began: p.r.Began, Cut: p.r.Cut},
	}
}

func (p player) serveState(w http.ResponseWriter, _ *http.Request) { writeJSON(w, p.state()) }

// serveEvents sends the one state that there is, and keeps the stream open with a
// comment every 15 s: a page whose stream ends would connect again.
func (p player) serveEvents(w http.ResponseWriter, r *http.Request) {
	body, err := json.Marshal(p.state())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	tick := time.NewTicker(15 * time.Second)
	defer tick.Stop()
	text := fmt.Sprintf("event: state\ndata: %s\n\n", body)
	for {
		if _, err := fmt.Fprint(w, text); err != nil || flush.Flush() != nil {
			return
		}
		select {
		case <-tick.C:
			text = ":\n\n"
		case <-r.Context().Done():
			return
		}
	}
}

// serveTimeline answers the entries after a number, as a hub does for its own
// timelines.
func (p player) serveTimeline(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64) // all, where it is no number
	list := []journal.Entry{}
	for _, e := range p.r.Entries {
		if e.Seq <= after || e.Kind == journal.Reads {
			continue
		}
		e.Load = e.Load.Summary() // the page shows no bodies
		list = append(list, e)
	}
	writeJSON(w, struct {
		Entries []journal.Entry `json:"entries"`
	}{list})
}

// servePicture answers the picture of an entry, as JPEG.
func (p player) servePicture(w http.ResponseWriter, r *http.Request) {
	seq, err := strconv.ParseUint(r.URL.Query().Get("seq"), 10, 64)
	if err != nil {
		http.Error(w, "seq must be the seq of an entry: a number, such as 12.", http.StatusBadRequest)
		return
	}
	data, err := p.r.Picture(seq)
	if err != nil {
		http.Error(w, "The picture with this seq was not found: pictures are in the folder next to the recording, whose name ends in .pictures.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "image/jpeg")
	w.Write(data) //nolint:errcheck // a peer that is gone
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	json.NewEncoder(w).Encode(v) //nolint:errcheck // a peer that is gone
}
