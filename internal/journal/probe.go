package journal

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/cdphub/cdphub/relay"
)

// script finds what is under the pointer and in focus. It is a function of x and y.
//
//go:embed probe.js
var script string

// world is the name of the isolated world that the script runs in.
const world = "cdphub-journal"

const createWorld = "Page.createIsolatedWorld"

// worldMade notes the isolated world of a target. It runs under the hub's lock, so
// that it is in the right order with the events that end the document.
func (o *observer) worldMade(target string, result []byte) {
	var made struct{ ExecutionContextID int }
	readParams(result, &made)
	o.worlds.put(target, made.ExecutionContextID)
}

// worldGone notes that the document of a target has gone, if the event is
// Page.frameNavigated of the main frame, which has no parentId.
func (o *observer) worldGone(e relay.Observed) {
	if len(o.worlds) > 0 && !e.Inside && e.Method == frameEvent && !bytes.Contains(e.Params, []byte(`"parentId"`)) {
		delete(o.worlds, e.TargetID)
		delete(o.moving, e.TargetID)
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
	focus *Element
}

// sight is the element that was under the pointer at a position.
type sight struct {
	x, y float64
	at   time.Time
	on   *Element
}

// freshSight is how long a position's element counts.
const freshSight = 3 * time.Second

// forget drops what belongs to a document that has gone. The frame is "" when it is
// not known.
func (p *probe) forget(frame string) {
	p.context = 0
	if frame != "" {
		p.frame = frame
	}
}

// at is the element at a position, if it was looked at within freshSight.
func (p *probe) at(x, y float64) *Element {
	for _, s := range p.last {
		if s.x == x && s.y == y && time.Since(s.at) < freshSight {
			return s.on
		}
	}
	return nil
}

// look asks which element a command acts on, right before the command: the page may
// go with it, or with the next one. It runs under the hub's lock, and its command
// goes to the Host before the Client's.
func (o *observer) look(c *command, target string, moved bool) {
	kind := ""
	eachMember(c.params, func(key string, value []byte) {
		switch key {
		case "type":
			kind = textOf(value)
		case "x":
			c.x, _ = strconv.ParseFloat(string(value), 64) // 0 for what is no number
		case "y":
			c.y, _ = strconv.ParseFloat(string(value), 64)
		case "touchPoints":
			c.x, c.y = firstPoint(value)
		}
	})
	switch kind {
	case "mouseReleased", "mouseWheel", "keyUp", "touchEnd", "touchMove":
		return
	}
	if moved && o.moving[target] {
		return // the press is looked at, too
	}
	c.looked = false
	key := o.key(target)
	world := o.worlds[target]
	// Without a world the question comes too late for this command, but the next one
	// has an answer.
	if world == 0 {
		o.put(key, 0, func(_ *Journal, l *line) {
			l.session = c.session
			l.inWorld(func(_ *Journal, l *line) {
				l.ask("Runtime.evaluate", scriptAt(l.probe.context, c.x, c.y), func(j *Journal, l *line, result []byte, failed bool) {
					l.looked(j, c, moved, result, failed)
				})
			})
		})
		return
	}
	if delete(o.moving, target); moved {
		o.moving.put(target, true)
	}
	o.hub.Control().AskNow(c.session, "Runtime.evaluate", scriptAt(world, c.x, c.y), func(result []byte, err *relay.Error) {
		if moved {
			delete(o.moving, target)
		}
		result = bytes.Clone(result[:min(len(result), longestParams)])
		failed := err != nil || o.away[target]
		if failed {
			delete(o.worlds, target)
		}
		o.happened(key, len(result), c.at, func(j *Journal, l *line) { l.looked(j, c, moved, result, failed) })
	})
}

func firstPoint(touchPoints []byte) (x, y float64) {
	var list []struct{ X, Y float64 }
	if readParams(touchPoints, &list); len(list) == 0 {
		return 0, 0
	}
	return list[0].X, list[0].Y
}

// quotedScript is the script in JSON, without the quotes.
var quotedScript = sync.OnceValue(func() []byte {
	b, _ := json.Marshal("(" + script + ")") // a string always can
	return b[1 : len(b)-1]
})

// scriptAt are the params of Runtime.evaluate that run the script in a world.
func scriptAt(world int, x, y float64) []byte {
	b := append([]byte(`{"expression":"`), quotedScript()...)
	return fmt.Appendf(b, `(%v, %v)","contextId":%d,"returnByValue":true,"silent":true}`, x, y, world)
}

// looked takes the answer of the script, and lets the command become an entry.
func (l *line) looked(j *Journal, c *command, moved bool, result []byte, failed bool) {
	var answer struct {
		Result struct {
			Value struct{ Under, Focus *Element }
		}
	}
	readParams(result, &answer)
	under, focus := l.cleaned(answer.Result.Value.Under), l.cleaned(answer.Result.Value.Focus)
	if failed { // the document has gone
		l.probe.context = 0
	}
	if focus != nil && !moved {
		l.probe.focus = focus
	}
	if c.x == 0 && c.y == 0 {
		c.on = l.probe.focus
	} else {
		l.seen(c.x, c.y, under)
		if c.on = under; failed { // the page went with the press, and the pointer was there before
			c.on = l.probe.at(c.x, c.y)
		}
	}
	c.looked = true
	l.settle(j)
}

// seen keeps the element at a position for later commands there, and for waiting ones
// that have found nothing.
func (l *line) seen(x, y float64, on *Element) {
	if on == nil {
		return
	}
	l.probe.last[l.probe.next%len(l.probe.last)] = sight{x, y, time.Now(), on}
	l.probe.next++
	for _, c := range l.waiting {
		if c.x == x && c.y == y && c.on == nil {
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

// cleaned is an element as it may be kept.
func (l *line) cleaned(e *Element) *Element {
	if e == nil {
		return nil
	}
	short := func(s string) string { return l.clean(s, 200) }
	e.Role, e.Name, e.Label = short(e.Role), short(e.Name), short(e.Label)
	e.Placeholder, e.TestID, e.CSS = short(e.Placeholder), short(e.TestID), l.clean(e.CSS, 500)
	return e
}
