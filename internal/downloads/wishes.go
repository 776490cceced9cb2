package downloads

import (
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// MaxRunning is how many downloads of one Host may be under way.
const MaxRunning = 1000

// Wish is what was asked for the files of downloads.
type Wish struct {
	Behavior string // "allow" or "allowAndName"; anything else wants none
	Folder   string // where they are saved, too; "" for those that the hub keeps alone
}

// Unasked is the reason why a Client has no file, if it has not asked for one.
const Unasked = "no file was asked for: Browser.setDownloadBehavior with allow or allowAndName asks for it, and needs scope full"

// ReadWish reads the params behavior and downloadPath of Browser.setDownloadBehavior and
// Page.setDownloadBehavior. It keeps no part of them.
func ReadWish(behavior, folder string) (Wish, *wire.Error) {
	switch behavior {
	case "deny", "default": // which would be the user's own folder
		return Wish{Behavior: strings.Clone(behavior)}, nil
	case "allow", "allowAndName":
		if len(folder) > bridge.MaxFolder {
			return Wish{}, bridge.ErrLongFolder
		}
		return Wish{strings.Clone(behavior), strings.Clone(folder)}, nil
	}
	return Wish{}, wire.InvalidParams("behavior must be deny, allow, allowAndName or default")
}

// Allows reports whether files are wanted; a nil Wish wants none.
func (w *Wish) Allows() bool {
	return w != nil && (w.Behavior == "allow" || w.Behavior == "allowAndName")
}

// FileName is the name of a file: its guid or, where it is to keep its own, name. A server or
// a page has chosen the name: one that could lead out of the folder is not used. The guid is a
// file name, as bridge.IsFileName knows it.
func (w *Wish) FileName(guid, name string) string {
	if w.Behavior == "allow" && bridge.IsFileName(name) {
		return name
	}
	return guid
}

// Table has what was asked for, by where: S is a session.
type Table[S comparable] map[S]*Asked

// Asked is what was asked for in one session.
type Asked struct {
	Events bool             // eventsEnabled
	Wishes map[string]*Wish // by browser context; "" is the default one
}

// Set keeps what is asked for now.
func (t Table[S]) Set(s S, contextID string, w *Wish, events bool) {
	a := t[s]
	if a == nil {
		a = &Asked{Wishes: make(map[string]*Wish)}
		t[s] = a
	}
	a.Events, a.Wishes[contextID] = events, w
}

// Recipient is a session that gets a download, its events, or both.
type Recipient[S comparable] struct {
	To     S
	Wish   *Wish // that for its context; nil for none
	Events bool
}

// Recipients returns who gets a download of a context, but for the sessions that it is hidden
// from, and whether any session, also one of these, wants the file.
func (t Table[S]) Recipients(contextID string, hidden func(S) bool) (list []Recipient[S], wanted bool) {
	for s, a := range t {
		w := a.Wishes[contextID]
		wanted = wanted || w.Allows()
		if (a.Events || w.Allows()) && !hidden(s) {
			list = append(list, Recipient[S]{s, w, a.Events})
		}
	}
	return list, wanted
}
