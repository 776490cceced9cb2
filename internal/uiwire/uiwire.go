// Package uiwire is what the dashboard reads at /ui/api/state and /ui/api/events: a hub
// says it of itself, and cdphub replay of a recording. The other side is
// web/src/wire/state.ts; internal/wiretest compares both, and docs/dashboard.md describes
// it for others. All times are in ms since 1970.
package uiwire

import (
	"github.com/cdphub/cdphub/internal/closelog"
	"github.com/cdphub/cdphub/journal"
	"github.com/cdphub/cdphub/relay"
)

// State is what runs, as far as the asker may know it.
type State struct {
	Version string           `json:"version"`
	Now     int64            `json:"now"`
	You     Asker            `json:"you"`
	Hubs    []Hub            `json:"hubs"`   // first the one that was asked
	Closes  []closelog.Close `json:"closes"` // of the same hubs, the newest first

	Nodes  []Node  `json:"nodes,omitempty"`  // of the cluster, for who may see every hub
	Replay *Replay `json:"replay,omitempty"` // what is shown is a recording: nothing is live in it
}

// Asker is who asked for the state.
type Asker struct {
	Name     string `json:"name"`
	Scope    string `json:"scope"`
	Control  bool   `json:"control"` // may take over pages
	DevTools bool   `json:"devtools,omitempty"`
	Drain    bool   `json:"drain,omitempty"` // may drain nodes of the cluster
}

// Hub is one hub with its targets.
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

// Named is a named session.
type Named struct {
	Name      string `json:"name"`
	Client    string `json:"client"`
	AwaySince int64  `json:"awaySince,omitempty"`
	GraceMs   int64  `json:"graceMs"`
	Kept      int    `json:"kept"` // bytes of messages for its Client
}

// Counters grow for ever, but for Pending.
type Counters struct {
	Received uint64 `json:"received"` // commands of Clients
	Answered uint64 `json:"answered"`
	Pending  uint64 `json:"pending"`
	Events   uint64 `json:"events"`
}

// Target is one target of a hub.
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

// Last is the newest command that acted on a target.
type Last struct {
	Method string `json:"method"`
	At     int64  `json:"at"`
}

// Holder is who has taken over a target.
type Holder struct {
	Name  string `json:"name"`
	Until int64  `json:"until"`
}

// Handoff is what a person is asked to do in a target.
type Handoff struct {
	Instructions string `json:"instructions"`
	Until        int64  `json:"until"`
}

// Replay is what a recording says of itself.
type Replay struct {
	Began int64  `json:"began"`
	Cut   string `json:"cut,omitempty"` // what it lacks
}
