package server

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// maxDialog is the longest body of a dialog request, in bytes.
const maxDialog = 1 << 20

// scriptPath is before the keys of scripts.
const scriptPath = "/eval/"

// forFrames serves what Frame Agents ask the hub past their Host:
//
//	POST /dialog        {"targetId":"…","key":"…","type":"confirm","message":"…","defaultPrompt":"","url":"…","frameId":"…"}
//	                    -> {"native":true} or {"accept":true,"text":""}
//	GET /eval/KEY.js    a script that the Host has left, once
//
// Apps of any origin ask, so that the Origin header cannot protect these paths. A key
// does that only the Target's Host was given.
func (s *Server) forFrames(serve func(w http.ResponseWriter, r *http.Request, hubs []*relay.Hub)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		hubs, release := s.frameHubs(front.RouteOf(r).Hub)
		defer release()
		// A page whose Cross-Origin-Embedder-Policy is require-corp loads only
		// answers that have this header (HTML Standard, "cross-origin embedder
		// policies").
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
		serve(w, r, hubs)
	}
}

// serveScript answers with a script that a Host has left for a frame. The key is used
// up by the first request: the second one gets 404.
func serveScript(w http.ResponseWriter, r *http.Request, hubs []*relay.Hub) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	key := strings.TrimSuffix(strings.TrimPrefix(front.RouteOf(r).Path, scriptPath), ".js")
	source, ok := "", false
	for _, hub := range hubs {
		if source, ok = hub.Control().TakeScript(key); ok {
			break
		}
	}
	if !ok {
		http.Error(w, "This script does not exist: each script is served once, within 10 s.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	io.WriteString(w, source) //nolint:errcheck // a peer that is gone
}

// dialogBody is what a Frame Agent sends, as text/plain: browsers send that to
// another origin without a preflight request (Fetch Standard, "CORS-safelisted
// request-header").
type dialogBody struct {
	TargetID      string `json:"targetId"`
	Key           string `json:"key"`
	Type          string `json:"type"`
	Message       string `json:"message"`
	DefaultPrompt string `json:"defaultPrompt"`
	URL           string `json:"url"`
	FrameID       string `json:"frameId"`
}

// serveDialog opens a dialog in the hub. It answers when a Client has closed the
// dialog, or after the 30 s of relay.Control.OpenDialog. The agent waits in a synchronous
// request, so that the script of the page stands still as at a dialog of the browser.
func serveDialog(w http.ResponseWriter, r *http.Request, hubs []*relay.Hub) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "text/plain" {
		http.Error(w, "The body must be JSON sent as text/plain.", http.StatusUnsupportedMediaType)
		return
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxDialog))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		http.Error(w, "The dialog's text is too long.", http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		http.Error(w, "The dialog's text could not be read: "+err.Error()+".", http.StatusRequestTimeout)
		return
	}
	var b dialogBody
	if err := json.Unmarshal(raw, &b); err != nil {
		http.Error(w, "The body is not the JSON of a dialog: "+err.Error(), http.StatusBadRequest)
		return
	}
	if b.Type != "alert" && b.Type != "confirm" && b.Type != "prompt" && b.Type != "beforeunload" {
		http.Error(w, `The type of a dialog is "alert", "confirm", "prompt" or "beforeunload".`, http.StatusBadRequest)
		return
	}
	dialog := relay.Dialog{
		TargetID: b.TargetID, Key: b.Key, FrameID: b.FrameID, URL: b.URL,
		Type: b.Type, Message: b.Message, Default: b.DefaultPrompt,
	}
	var a relay.DialogAnswer
	err = relay.ErrDialogKey
	for _, hub := range hubs { // the key fits one of them at most
		if a, err = hub.Control().OpenDialog(r.Context(), dialog); !errors.Is(err, relay.ErrDialogKey) {
			break
		}
	}
	if err != nil {
		http.Error(w, "Dialog refused: "+err.Error(), http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if a.Native {
		io.WriteString(w, `{"native":true}`) //nolint:errcheck // a peer that is gone
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"accept": a.Accept, "text": a.Text}) //nolint:errcheck // a peer that is gone
}
