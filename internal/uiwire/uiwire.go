// Package uiwire has the JSON that the dashboard reads at /ui/api/state and
// /ui/api/events. A hub writes it about itself, and `cdphub replay` about a
// recording:
//
//	json.NewEncoder(w).Encode(uiwire.State{Version: v, Now: time.Now().UnixMilli(), Hubs: hubs})
//
// web/src/wire/state.ts has the same types for the dashboard; the tests of
// internal/wiretest compare both. docs/dashboard.md describes them for others. All
// times are in ms since 1970.
package uiwire

import (
	"time"

	"github.com/cdphub/cdphub/internal/journal"
	"github.com/cdphub/cdphub/relay"
)

// State is what runs, as far as the asker may know it.
type State struct {
	Version string  `json:"version"`
	Now     int64   `json:"now"`
	You     Asker   `json:"you"`
	Hubs    []Hub   `json:"hubs"`   // first the one that was asked
	Closes  []Close `json:"closes"` // of the same hubs, the newest first

	Nodes  []Node  `json:"nodes,omitempty"`  // of the cluster, for who may see every hub
	Replay *Replay `json:"replay,omitempty"` // what is shown is a recording: nothing is live in it
}

// Close is the end of one connection. It has neither a token nor a URL, which
// may hold one.
//
//	{"time":"2026-01-02T15:04:05Z","side":"client","hub":"","peer":"127.0.0.1:5","code":4302,"reason":"token revoked"}
type Close struct {
	Time   time.Time `json:"time"`
	Side   string    `json:"side"`   // "client", "host", or the name of an action API
	Hub    string    `json:"hub"`    // "" is the one at the root
	Peer   string    `json:"peer"`   // address and port
	Code   uint16    `json:"code"`   // of the WebSocket close frame (docs/bridge.md); 1006 when there was none
	Reason string    `json:"reason"` // at most 123 bytes
}

// Asker is who asked for the state. The dashboard hides what the asker may not do.
// The hub checks each request all the same.
type Asker struct {
	Name     string `json:"name"`
	Scope    string `json:"scope"`
	Control  bool   `json:"control"` // may take over pages
	DevTools bool   `json:"devtools,omitempty"`
	Drain    bool   `json:"drain,omitempty"` // may drain nodes of the cluster
}

// Hub is one hub with its targets. Path comes before the paths of this hub: "" for
// the default hub, else "/hub/NAME".
type Hub struct {
	Hub           string   `json:"hub"`
	Path          string   `json:"path"`
	HostConnected bool     `json:"hostConnected"`
	HostHangs     bool     `json:"hostHangs"`
	Browser       bool     `json:"browser"`
	Clients       int      `json:"clients"`
	Sessions      int      `json:"sessions"`
	Counters      Counters `json:"counters"`
	Targets       []Target `json:"targets"`

	Named []Named `json:"named,omitzero"` // the asker's; a recording has none
	// OwnTabs are the Clients with tabs of their own, for who may hand tabs over.
	OwnTabs []relay.TabClient `json:"ownTabs,omitempty"`
	// Closed are the targets that have ended last and have a timeline, the newest first.
	Closed []journal.Closed `json:"closed,omitempty"`
}

// Node is a node of a cluster.
type Node struct {
	ID       string `json:"id"` // of the process: after a restart it is another
	Name     string `json:"name"`
	Version  string `json:"version"`
	Since    int64  `json:"since"`
	Hubs     int    `json:"hubs"` // that it owns
	Draining bool   `json:"draining,omitempty"`
	Answers  bool   `json:"answers,omitempty"` // it serves the hub that was asked, and so this state

	Browsers    int `json:"browsers,omitempty"`    // that it has
	MaxBrowsers int `json:"maxBrowsers,omitempty"` // that it may have
}

// Named is a named session. AwaySince is when its Client was disconnected. GraceMs is
// how long after that the hub keeps the session.
type Named struct {
	Name      string `json:"name"`
	Client    string `json:"client"`
	AwaySince int64  `json:"awaySince,omitempty"`
	GraceMs   int64  `json:"graceMs"`
	Kept      int    `json:"kept"` // bytes of messages for its Client
}

// Counters count what drivers do, without views of the dashboard, from the start of the hub, and never go down. Only Pending may: it is
// the number of commands that wait for an answer.
type Counters struct {
	Received uint64 `json:"received"` // commands of Clients
	Answered uint64 `json:"answered"`
	Pending  uint64 `json:"pending"`
	Events   uint64 `json:"events"`
}

// Target is one target of a hub. Drivers are the names of the Clients that have a
// session on it.
type Target struct {
	TargetID     string   `json:"targetId"`
	Type         string   `json:"type"`
	Title        string   `json:"title"`
	URL          string   `json:"url"`
	Drawn        bool     `json:"drawn"`            // its pictures are drawn from its DOM
	Client       string   `json:"client,omitempty"` // whose browser context it is in; "" for a target of all
	Drivers      []string `json:"drivers"`
	Last         *Last    `json:"last,omitempty"`
	Holder       *Holder  `json:"holder,omitempty"`
	Handoff      *Handoff `json:"handoff,omitempty"`
	Unresponsive bool     `json:"unresponsive,omitempty"`
}

// Last is the newest command that acted on a target. Method is a method of CDP, such
// as "Page.navigate".
type Last struct {
	Method string `json:"method"`
	At     int64  `json:"at"`
}

// Holder is who has taken over a target. Until is when the lease ends unless it is
// renewed, in whole seconds: otherwise each renewal would be an event for the
// dashboard.
type Holder struct {
	Name  string `json:"name"`
	Until int64  `json:"until"`
	You   bool   `json:"you,omitempty"` // it is the asker, maybe in another window
}

// Handoff is what a person is asked to do in a target. Until is when the request
// ends.
type Handoff struct {
	Instructions string `json:"instructions"`
	Until        int64  `json:"until"`
}

// Replay is what a recording says of itself. Began is when the recording began.
type Replay struct {
	Began int64  `json:"began"`
	Cut   string `json:"cut,omitempty"` // what it lacks
}
