package journal

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
)

// Observe makes the Observer of a hub, for relay.Options.
func (j *Journal) Observe(hub *relay.Hub) relay.Observer {
	return &observer{j: j, hub: hub}
}

// table is a map that is made when something is put there: most hubs need few of
// those of an observer.
type table[K comparable, V any] map[K]V

func (t *table[K, V]) put(key K, v V) {
	if *t == nil {
		*t = make(table[K, V])
	}
	(*t)[key] = v
}

// observer tells the Journal about one hub. Its methods run under the hub's lock,
// which guards its members. They copy what they keep: the bytes and strings of an
// event are good only until they return.
type observer struct {
	j   *Journal
	hub *relay.Hub

	// A browser sends an event to each session that wants it. The first session that
	// gets one of a domain leads: only its events are kept.
	leads table[leadKey, lead]
	of    table[string, []leadKey] // by session

	held table[string, relay.LeaseChange] // by target, while a person has it
	away table[string, bool]              // targets that a person has during a handoff

	worlds table[string, int]  // by target, while recording: the isolated world of its document
	moving table[string, bool] // targets where the answer for a move of the pointer is awaited
	// documents counts, by target, the documents that have gone; pulling has the targets that
	// have been asked what scripts have set.
	documents table[string, int]
	pulling   table[string, bool]

	payers table[string, quota.Payer] // by target: who was last to do something there

	shows table[string, shown] // by target, for those that have shown no page of the web
}

// shown says whether a target shows a page of the web, and since when.
type shown struct {
	web   bool
	since time.Time
}

// Web implements relay.Observer. Targets that have always shown pages of the web need
// no record.
func (o *observer) Web(target string, web bool) {
	if before, there := o.shows[target]; there && before.web != web || !there && !web {
		o.shows.put(strings.Clone(target), shown{web, time.Now()})
	}
}

// notWeb reports whether a target has shown something else than a page of the web at
// any time since then. The caller has the hub's lock.
func (o *observer) notWeb(target string, since time.Time) bool {
	s, there := o.shows[target]
	return there && (!s.web || !s.since.Before(since))
}

type leadKey struct{ target, domain string }

type lead struct {
	session string
	at      time.Time
}

// leadPause is after how long without events another session takes the lead: the
// leading session may have disabled its domain.
const leadPause = 2 * time.Second

// longestParams is how many bytes of params are read. Longer params are those of
// pages that put data into their addresses, or long texts that are typed.
const longestParams = 64 << 10

// Wants implements relay.Observer.
func (o *observer) Wants(method string) bool {
	m := methods[method]
	return m != nil && (!m.script || o.j.files != nil)
}

// Command implements relay.Observer. It returns the function for the answer; nil for
// a command that is not kept. While a person has the page during a handoff, only the kinds
// of that person's actions are kept.
func (o *observer) Command(c relay.Observed) func([]byte, *relay.Error) {
	m := methods[c.Method]
	switch {
	case m.event != nil:
		return nil
	case o.away[c.TargetID]:
		if c.Person != "" && !m.script {
			o.personActed(c)
		}
		return nil
	case m.script:
		return o.scriptEnds(c)
	}
	recording := o.j.files != nil
	// A search in the first bytes is enough to skip most moves without reading JSON
	// under the hub's lock.
	moved := m.name == mouseEvent && bytes.Contains(c.Params[:min(len(c.Params), 4<<10)], []byte(`"mouseMoved"`))
	if moved && !recording {
		return nil
	}
	cmd := &command{
		method: m, client: c.Client, session: c.SessionID, inside: c.Inside, at: time.Now(),
		params: copyParams(c.Params), long: len(c.Params), document: o.documents[c.TargetID],
	}
	if recording {
		cmd.locate()
		cmd.looks = cmd.looks || m.leaves && !c.Inside && o.worlds[c.TargetID] != 0
	}
	cmd.looked, cmd.logRead = !cmd.looks, !cmd.looks
	key := o.key(c.TargetID)
	o.pays(c)
	// At once, and not with the answer: the page may repeat the text before that.
	if m.types {
		o.j.queue.put(item{key: key, payer: c.Payer, size: len(cmd.params) + overhead, typed: true, do: func(_ *Journal, l *line) { l.typed.note(cmd) }})
	}
	if cmd.looks {
		if !moved {
			o.put(key, 0, func(_ *Journal, l *line) { l.probe.open++ })
		}
		o.look(cmd, c.TargetID, moved)
	}
	if moved {
		return nil
	}
	return func(_ []byte, err *relay.Error) {
		if o.away[key.target] {
			if cmd.looks {
				o.put(key, 0, func(_ *Journal, l *line) { l.probe.open-- })
			}
			return
		}
		cmd.took, cmd.notWeb = time.Since(cmd.at), o.notWeb(key.target, cmd.at)
		if err != nil {
			cmd.err = strings.Clone(err.Message)
		}
		o.happened(key, len(cmd.params), cmd.at, func(j *Journal, l *line) { l.ended(j, cmd) })
		if cmd.looks {
			o.askLog(key, cmd.session, func(s *pageState, size int) {
				o.happened(key, size, cmd.at, func(j *Journal, l *line) {
					if s != nil {
						l.took(j, s)
					}
					cmd.logRead = true
					l.settle(j)
				})
			})
		}
	}
}

// copyParams copies params, unless they are too long to be read.
func copyParams(params []byte) []byte {
	if len(params) > longestParams {
		return nil
	}
	return bytes.Clone(params)
}

// Event implements relay.Observer.
func (o *observer) Event(e relay.Observed) {
	m := methods[e.Method]
	o.worldGone(e)
	if m.event == nil || o.away[e.TargetID] || !o.leader(leadKey{e.TargetID, m.domain}, e.SessionID, e.Inside) {
		return
	}
	params := copyParams(e.Params)
	if params == nil {
		return
	}
	o.pays(e)
	ev := &event{name: m.name, at: time.Now(), session: e.SessionID, inside: e.Inside, params: params}
	o.happened(o.key(e.TargetID), len(params), ev.at, func(j *Journal, l *line) { m.event(j, l, ev) })
}

// leader reports whether the events of a session are kept. Every session with the
// domain enabled gets the same event.
func (o *observer) leader(key leadKey, session string, inside bool) bool {
	if inside { // each frame and worker has events of its own
		return true
	}
	now := time.Now()
	l, there := o.leads[key]
	if there && l.session != session && now.Sub(l.at) < leadPause {
		return false
	}
	if l.session != session && !slices.Contains(o.of[session], key) {
		o.of.put(session, append(o.of[session], key))
	}
	o.leads.put(key, lead{session, now})
	return true
}

// Detached implements relay.Observer.
func (o *observer) Detached(session string) {
	for _, key := range o.of[session] {
		if o.leads[key].session == session {
			delete(o.leads, key)
			delete(o.worlds, key.target)
			delete(o.moving, key.target)
			delete(o.pulling, key.target)
		}
	}
	delete(o.of, session)
}

// Leased implements relay.Observer. During a handoff nothing is kept but the fact
// that there is one, and the kinds of actions: the person may type a password.
func (o *observer) Leased(c relay.LeaseChange) {
	before := o.held[c.TargetID]
	if before == c || !before.Held && !c.Held { // as when its holder comes back
		return
	}
	key, at, name := o.key(c.TargetID), time.Now(), strings.Clone(c.Name)
	what := "took the page"
	switch {
	case !c.Held:
		what, name = "gave the page back", before.Name
		delete(o.held, key.target)
		delete(o.away, key.target)
	case c.Handoff:
		what = "has the page, as a Client has asked"
		o.away.put(key.target, true)
		o.held.put(key.target, c)
	default:
		delete(o.away, key.target)
		o.held.put(key.target, c)
	}
	o.put(key, 0, func(j *Journal, l *line) {
		l.endTyping(j)
		if l.away { // what the page has noted meanwhile is the person's
			l.probe.handedBack, l.probe.dropsLog = at, true
		}
		l.press, l.away, l.personKind = nil, c.Handoff && c.Held, ""
		j.keepLocked(l, Entry{At: at.UnixMilli(), Kind: Takeover, Client: l.text(name), Text: strings.TrimSpace(l.text(name) + " " + what)}, nil)
	})
}

// pays notes for whom counts what happens on a target from now on.
func (o *observer) pays(c relay.Observed) {
	if before, there := o.payers[c.TargetID]; !there || before != c.Payer {
		o.payers.put(strings.Clone(c.TargetID), c.Payer)
	}
}

func (o *observer) key(target string) lineKey { return lineKey{o.hub.Name(), target} }

func (o *observer) put(key lineKey, size int, do func(*Journal, *line)) {
	o.j.queue.put(item{key: key, payer: o.payers[key.target], size: size + overhead, do: func(j *Journal, l *line) {
		l.hub = o
		do(j, l)
	}})
}

// happened is put for something that happened from since until now. The caller has
// the hub's lock.
func (o *observer) happened(key lineKey, size int, since time.Time, do func(*Journal, *line)) {
	notWeb := o.notWeb(key.target, since)
	o.put(key, size, func(j *Journal, l *line) {
		l.notWeb = notWeb
		do(j, l)
	})
}

// ask sends a command in the session in which something happened last on a target.
// done runs in the Journal's goroutine. An answer that comes during a handoff counts
// as an error, and so does one that is too long.
func (l *line) ask(method string, params []byte, done func(j *Journal, l *line, result []byte, failed bool)) {
	o, key := l.hub, l.key
	if l.asking >= mostAsked { // the page does not answer: its Client's own commands must not suffer
		o.put(key, 0, func(j *Journal, l *line) { done(j, l, nil, true) })
		return
	}
	l.asking++
	session, asked := l.session, time.Now()
	// Not here: the caller has Journal.mu, under which no hub is called.
	o.j.asks = append(o.j.asks, func() {
		o.hub.Control().Ask(session, method, params, func(result []byte, err *relay.Error) {
			made := o.answered(key, asked, result, err, func(j *Journal, l *line, result []byte, failed bool) {
				l.asking--
				l.left = err == relay.ErrNoSession
				done(j, l, result, failed)
			})
			if method == createWorld && made != nil {
				o.worldMade(key.target, session, made)
			}
		})
	})
}

// answered takes the answer to a command that was asked at a time, and returns what may be kept
// of it; nil where it has failed. The caller has the hub's lock, so that the answer is in the
// right order with the beginning of a handoff.
func (o *observer) answered(key lineKey, asked time.Time, result []byte, err *relay.Error, done func(j *Journal, l *line, result []byte, failed bool)) (kept []byte) {
	failed := err != nil || o.away[key.target] || len(result) > longestAnswer
	if !failed {
		kept = bytes.Clone(result)
	}
	o.happened(key, len(kept), asked, func(j *Journal, l *line) { done(j, l, kept, failed) })
	return kept
}

// askHubs sends the commands that wait. The caller must not have Journal.mu.
func (j *Journal) askHubs() {
	for len(j.asks) > 0 {
		list := j.asks
		j.asks = nil
		for _, ask := range list {
			ask()
		}
	}
}

// mostAsked is how many commands of the Journal one target may have without an
// answer.
const mostAsked = 32

// longestAnswer is how many bytes of an answer are read.
const longestAnswer = 8 << 20
