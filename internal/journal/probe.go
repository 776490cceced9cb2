package journal

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/cdphub/cdphub/relay"
)

// script leaves a function in a document. The function answers what Clients act on there, what has
// been set without typing, and what people can read.
//
//go:embed probe.js
var script string

// world is the name of the isolated world that the script runs in.
const world = "cdphub-journal"

const (
	createWorld = "Page.createIsolatedWorld"
	evaluate    = "Runtime.evaluate"
)

// worldMade notes the isolated world of a target, and has the script run in it. It runs under
// the hub's lock, so that it is in the right order with the events that end the document.
func (o *observer) worldMade(target, session string, result []byte) {
	var made struct{ ExecutionContextID int }
	readParams(result, &made)
	o.worlds.put(target, made.ExecutionContextID)
	o.hub.Control().AskNow(session, evaluate, installParams(made.ExecutionContextID), func([]byte, *relay.Error) {})
}

// worldGone notes that the document of a target has gone, if the event is
// Page.frameNavigated of the main frame, which has no parentId.
func (o *observer) worldGone(e relay.Observed) {
	if o.j.files != nil && !e.Inside && e.Method == frameEvent && !bytes.Contains(e.Params, []byte(`"parentId"`)) {
		delete(o.worlds, e.TargetID)
		delete(o.moving, e.TargetID)
		o.documents.put(strings.Clone(e.TargetID), o.documents[e.TargetID]+1)
	}
}

// probe is what is known of the elements that a Client acts on, for exports. Only
// recordings need it.
type probe struct {
	frame   string // the main frame
	context int    // of the isolated world in its document; 0: there is none yet
	making  bool   // it is being made
	queued  []func(j *Journal, l *line)

	last  [4]sight
	next  int
	focus sight

	log []logged // what has been done and set, of which there is no entry yet
	// handedBack is when a handoff has ended. The page has noted what was done in it: dropsLog says
	// that the next answer has it.
	handedBack time.Time
	dropsLog   bool
	open       int       // commands that are looked at and are no entries yet
	reading    int       // how often to look what people can read
	readNext   time.Time // when
	reads      reads
	scripter   string    // the Client that ran a script last
	scripting  time.Time // when
}

// sight is the element that was under the pointer at a position, or in focus.
type sight struct {
	x, y     float64
	at       time.Time
	document int // observer.documents of the command
	on       *Element
}

// freshSight is how long a sight counts.
const freshSight = 3 * time.Second

// forget drops what belongs to a document that has gone. The frame is "" when it is
// not known.
func (p *probe) forget(frame string) {
	p.context = 0
	if frame != "" {
		p.frame = frame
	}
}

// recall is what a command acts on by a sight before it, if that was in the same document
// and within freshSight.
func (p *probe) recall(c *command) *Element {
	for _, s := range append(p.last[:], p.focus) {
		if s.on != nil && s.x == c.x && s.y == c.y && s.document == c.document && time.Since(s.at) < freshSight {
			return s.on
		}
	}
	return nil
}

// locate reads where a command acts, whether it is to be looked at, and by which event of the
// page its element is found.
func (c *command) locate() {
	if c.inside || !c.method.pointer {
		return
	}
	kind, key, text := "", "", ""
	eachMember(c.params, func(name string, value []byte) {
		switch name {
		case "type":
			kind = textOf(value)
		case "x":
			c.x, _ = strconv.ParseFloat(string(value), 64) // 0 for what is no number
		case "y":
			c.y, _ = strconv.ParseFloat(string(value), 64)
		case "touchPoints":
			c.x, c.y = firstPoint(value)
		case "key":
			key = textOf(value)
		case "text":
			text = textOf(value)
		}
	})
	switch kind {
	case "mouseReleased", "mouseWheel", "keyUp", "touchEnd", "touchMove":
		return
	case "mousePressed", "touchStart":
		c.act = act{Act: "press"}
	case "keyDown", "rawKeyDown":
		c.act = act{Act: "key"}
		if utf8.RuneCountInString(key) > 1 {
			c.act.Key = key
		}
	default: // what has no type, such as Input.insertText
		if kind == "" && text != "" {
			c.act = act{Act: "text", Length: utf8.RuneCountInString(text)}
		}
	}
	c.looks = true
}

// look asks which element a command acts on, right before the command: the page may
// go with it, or with the next one. It runs under the hub's lock, and its command
// goes to the Host before the Client's.
func (o *observer) look(c *command, target string, moved bool) {
	key := o.key(target)
	world := o.worlds[target]
	switch {
	case world == 0: // the question comes too late for this command, but the next one has an answer
		o.put(key, 0, func(_ *Journal, l *line) { l.lookAgain(c, moved) })
		return
	case moved && o.moving[target]: // the press is looked at, too
		return
	}
	if delete(o.moving, target); moved {
		o.moving.put(target, true)
	}
	o.hub.Control().AskNow(c.session, evaluate, probeParams(world, "acts", c.x, c.y), func(result []byte, err *relay.Error) {
		if moved {
			delete(o.moving, target)
		}
		seen := readPageState(result, err != nil || o.away[target])
		if seen == nil && o.worlds[target] == world { // of a document that has gone
			delete(o.worlds, target)
		}
		o.happened(key, len(result), c.at, func(j *Journal, l *line) {
			if seen == nil {
				l.lookAgain(c, moved)
				return
			}
			l.looked(j, c, moved, seen)
		})
	})
}

// lookAgain looks what a command acts on after the command, in a new world: the one before has
// gone with its document, or there was none.
func (l *line) lookAgain(c *command, moved bool) {
	l.session, l.probe.context = c.session, 0
	l.inWorld(func(_ *Journal, l *line) {
		l.ask(evaluate, probeParams(l.probe.context, "acts", c.x, c.y), func(j *Journal, l *line, result []byte, failed bool) {
			seen := readPageState(result, failed)
			if seen == nil || seen.Age > 0 && seen.Age < float64(time.Since(c.at))/float64(time.Millisecond) {
				// The document is younger than the command, which was for the one before.
				l.lookedAt(j, c, l.probe.recall(c))
				return
			}
			l.looked(j, c, moved, seen)
		})
	})
}

func firstPoint(touchPoints []byte) (x, y float64) {
	var list []struct{ X, Y float64 }
	if readParams(touchPoints, &list); len(list) == 0 {
		return 0, 0
	}
	return list[0].X, list[0].Y
}

var quotedScript = sync.OnceValue(func() []byte {
	b, _ := json.Marshal("(" + script + ")()") // a string always can
	return b
})

// installParams are the params of Runtime.evaluate that run the script in a world.
func installParams(world int) []byte {
	return fmt.Appendf(nil, `{"expression":%s,"contextId":%d,"returnByValue":true,"silent":true}`, quotedScript(), world)
}

// probeParams ask the script: for "acts", what is at a position and in focus; for "reads", what
// people can read; for "log", only what has been done and set.
func probeParams(world int, what string, x, y float64) []byte {
	return fmt.Appendf(nil, `{"expression":"globalThis[Symbol.for('cdphub.journal')]('%s',%v,%v)","contextId":%d,"returnByValue":true,"silent":true}`, what, x, y, world)
}

// pageState is an answer of the script.
type pageState struct {
	Born         float64 // when the document began; another document has another time
	Age          float64 // of the document, in milliseconds
	Under, Focus *Element
	Log          []logged
	Reads        *pageTexts
}

// pageTexts are what people can read on a page.
type pageTexts struct {
	Title           string
	Headings, Texts []string
}

// readPageState reads an answer of the script; nil where there is none.
func readPageState(result []byte, failed bool) *pageState {
	var answer struct {
		Result struct{ Value *pageState }
	}
	if failed || len(result) > longestParams {
		return nil
	}
	readParams(result, &answer)
	return answer.Result.Value
}

// looked takes an answer of the script, and lets the command become an entry.
func (l *line) looked(j *Journal, c *command, moved bool, s *pageState) {
	l.took(j, s)
	if !moved {
		l.probe.focus = sight{at: time.Now(), document: c.document, on: s.Focus}
	}
	if c.x == 0 && c.y == 0 {
		l.lookedAt(j, c, s.Focus)
		return
	}
	l.seen(c, s.Under)
	l.lookedAt(j, c, s.Under)
}

// lookedAt lets a command become an entry.
func (l *line) lookedAt(j *Journal, c *command, on *Element) {
	c.on, c.looked = on, true
	l.settle(j)
}

// seen keeps the element at a position for later commands there, and for waiting ones
// that have found nothing.
func (l *line) seen(by *command, on *Element) {
	if on == nil {
		return
	}
	l.probe.last[l.probe.next%len(l.probe.last)] = sight{by.x, by.y, time.Now(), by.document, on}
	l.probe.next++
	for _, c := range l.waiting {
		if c.x == by.x && c.y == by.y && c.document == by.document && c.on == nil {
			c.on = on
		}
	}
}

// mostQueued is how many calls wait for the isolated world of a page.
const mostQueued = 100

// inWorld calls do once the main frame has the isolated world, which the first call
// makes.
func (l *line) inWorld(do func(j *Journal, l *line)) {
	p := &l.probe
	p.queued = append(p.queued, do)
	if len(p.queued) > mostQueued { // the page does not answer
		p.queued = p.queued[1:]
	}
	switch {
	case p.making:
	case p.context != 0:
		l.runQueued(nil)
	case p.frame == "":
		p.making = true
		l.ask("Page.getFrameTree", []byte(`{}`), func(_ *Journal, l *line, result []byte, _ bool) {
			var tree struct {
				FrameTree struct{ Frame struct{ ID string } }
			}
			readParams(result, &tree)
			l.probe.frame, l.probe.making = tree.FrameTree.Frame.ID, false
			l.makeWorld()
		})
	default:
		l.makeWorld()
	}
}

// makeWorld makes the isolated world. If that fails, what waits for it goes on, and
// finds nothing.
func (l *line) makeWorld() {
	l.probe.making = true
	params, _ := json.Marshal(map[string]any{"frameId": l.probe.frame, "worldName": world}) // of strings
	l.ask(createWorld, params, func(j *Journal, l *line, result []byte, _ bool) {
		var made struct{ ExecutionContextID int }
		readParams(result, &made)
		l.probe.context, l.probe.making = made.ExecutionContextID, false
		l.runQueued(j)
	})
}

func (l *line) runQueued(j *Journal) {
	list := l.probe.queued
	l.probe.queued = nil
	for _, do := range list {
		do(j, l)
	}
}
