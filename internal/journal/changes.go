package journal

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cdphub/cdphub/internal/secrets"
	"github.com/cdphub/cdphub/relay"
)

// act is an event of a page that a command causes: "press", "key" or "text".
type act struct {
	Act    string
	Key    string // of a key with a name
	Length int    // of a text
}

// logged is an act, or something that was set in a page without being typed, or clicked by a
// script. Of a select Key is the value of the first option.
type logged struct {
	act
	Do     string // what was set; "" for an act
	On     *Element
	Values []string
	Script bool    // a script has done it
	Ago    float64 // milliseconds
	at     time.Time
}

// reads are the texts that a person can read on a document, by the time when they were seen
// first. What is seen twice, with a pause, is worth an assertion.
type reads struct {
	born   float64 // of the document
	title  string
	since  map[text]time.Time
	stated map[text]bool // are entries
}

// text is something to read: a title, a heading, or another text.
type text struct{ kind, words string }

const (
	readTwice    = 100 * time.Millisecond // the least pause between two sights of a text
	longestRead  = 100                    // characters
	mostReads    = 16                     // of one answer
	scriptWithin = 5 * time.Second        // from a script of a Client to what it has done
)

// scriptEnds asks what a script of a Client has set, as soon as it has ended.
func (o *observer) scriptEnds(c relay.Observed) func([]byte, *relay.Error) {
	if c.Inside || o.worlds[c.TargetID] == 0 {
		return nil
	}
	key, session, client := o.key(strings.Clone(c.TargetID)), c.SessionID, c.Client
	return func([]byte, *relay.Error) {
		if o.pulling[key.target] { // a question in flight stands for all scripts that end before it
			return
		}
		o.pulling.put(key.target, true)
		asked := time.Now()
		o.askLog(key, session, func(s *pageState, size int) {
			delete(o.pulling, key.target)
			if s != nil && len(s.Log) > 0 { // most scripts set nothing
				o.happened(key, size, asked, func(j *Journal, l *line) {
					l.session, l.probe.scripter, l.probe.scripting = session, client, asked
					l.took(j, s)
				})
			}
		})
	}
}

// askLog asks what has been done and set in a page; done gets nil where there is no answer. Both
// run under the hub's lock.
func (o *observer) askLog(key lineKey, session string, done func(s *pageState, size int)) {
	world := o.worlds[key.target]
	if world == 0 {
		done(nil, 0)
		return
	}
	o.hub.Control().AskNow(session, evaluate, probeParams(world, "log", 0, 0), func(result []byte, err *relay.Error) {
		done(readPageState(result, err != nil || o.away[key.target]), len(result))
	})
}

// mostLogged is how many items wait for the entries of their commands.
const mostLogged = 400

// took keeps what an answer of the script has beside elements: what has been done and set, and
// what can be read.
func (l *line) took(j *Journal, s *pageState) {
	if l.probe.dropsLog {
		l.probe.dropsLog, s.Log = false, nil
	}
	for _, item := range s.Log {
		item.at = time.Now().Add(-time.Duration(item.Ago * float64(time.Millisecond)))
		if item.at.After(l.probe.handedBack) {
			l.probe.log = append(l.probe.log, item)
		}
	}
	if over := len(l.probe.log) - mostLogged; over > 0 {
		l.probe.log = l.probe.log[over:]
	}
	if s.Reads != nil {
		l.read(j, s)
	}
	if l.probe.open == 0 {
		l.keepChanges(j, len(l.probe.log), time.Now())
	}
}

// matchAct finds the act of a command in the page's log, and by it the element that the command has
// acted on. What was set before that becomes entries.
func (l *line) matchAct(j *Journal, c *command) {
	for i, item := range l.probe.log {
		if c.act.Act != "" && item.act == c.act {
			c.on = item.On
			l.keepChanges(j, i, c.at)
			l.probe.log = l.probe.log[1:] // the act itself
			return
		}
	}
}

// keepChanges makes entries of what was set by the first n items, which it removes. They are not
// newer than a time, and not older than the last entry.
func (l *line) keepChanges(j *Journal, n int, before time.Time) {
	for _, item := range l.probe.log[:n] {
		at := item.at
		if at.After(before) {
			at = before
		}
		if at.Before(l.lastAt) {
			at = l.lastAt
		}
		l.keepChange(j, &item, at)
	}
	l.probe.log = l.probe.log[n:]
}

// changeTexts say what was done, by what an Action does.
var changeTexts = map[string]string{
	Click: "clicked by a script", Fill: "set", Select: "chose an option", Check: "checked", Uncheck: "unchecked", Upload: "chose files",
}

// keepChange makes an entry of a change. What a page does by itself is none: of what scripts do, only
// that of a Client's counts.
func (l *line) keepChange(j *Journal, c *logged, at time.Time) {
	what := changeTexts[c.Do]
	if what == "" || c.Script && time.Since(l.probe.scripting) > scriptWithin {
		return
	}
	l.endTyping(j)
	a := &Action{Do: c.Do, Length: c.Length, On: l.cleaned(c.On)}
	a.Key = l.cleanName(c.Key, 200)
	for _, value := range c.Values[:min(len(c.Values), mostReads)] {
		a.Values = append(a.Values, l.cleanName(value, 200))
	}
	if a.On != nil && a.On.Secret { // as of a month in which a card expires
		a.Key, a.Values = secrets.Redacted, nil
		if c.Do == Select {
			a.Values = []string{secrets.Redacted}
		}
	}
	client := l.lastClient
	if l.probe.scripting.After(l.lastAt) {
		client = l.probe.scripter
	}
	j.acted(l, Entry{At: at.UnixMilli(), Client: client, Text: what + a.On.words(), Action: a})
}

// read keeps the texts that were there at the answer before, and are still there.
func (l *line) read(j *Journal, s *pageState) {
	r := &l.probe.reads
	if r.born != s.Born || r.since == nil {
		*r = reads{born: s.Born, since: map[text]time.Time{}, stated: map[text]bool{}}
	}
	now := time.Now().UnixMilli()
	if title := l.text(s.Reads.Title); title != r.title {
		r.title = title
		j.keepLocked(l, Entry{At: now, Kind: Reads, Text: title}, nil)
	}
	since, stated := map[text]time.Time{}, map[text]bool{}
	note := func(kind, words string) {
		t := text{kind, words}
		if len(since) >= mostReads || !l.lasts(words) {
			return
		}
		first, known := r.since[t]
		if !known {
			first = time.UnixMilli(now)
		}
		since[t], stated[t] = first, r.stated[t]
		if known && !stated[t] && time.Since(first) >= readTwice {
			stated[t] = true
			j.keepLocked(l, Entry{At: first.UnixMilli(), Kind: Reads, Text: words, Action: &Action{Do: kind, Key: words}}, nil)
		}
	}
	note(Title, s.Reads.Title)
	for _, words := range s.Reads.Headings {
		note(Heading, words)
	}
	for _, words := range s.Reads.Texts {
		note(Text, words)
	}
	r.since, r.stated = since, stated
}

// lasts reports whether a text will be the same in another run: it has nothing that was typed, no
// digits, which are mostly counts and dates, and no secret.
func (l *line) lasts(words string) bool {
	return words != "" && utf8.RuneCountInString(words) <= longestRead && !strings.ContainsAny(words, "0123456789") &&
		l.clean(words, longestText) == words && !l.typed.isIn(words)
}

// readPages asks what can be read, as it does for a picture. It does so twice.
func (j *Journal) readPages(now time.Time) {
	if j.files == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, l := range j.lines {
		if l.probe.reading == 0 || l.probe.context == 0 || l.away || now.Before(l.probe.readNext) {
			continue
		}
		l.probe.reading--
		l.probe.readNext = now.Add(readTwice)
		l.ask(evaluate, probeParams(l.probe.context, "reads", 0, 0), func(j *Journal, l *line, result []byte, failed bool) {
			if s := readPageState(result, failed); s != nil {
				l.took(j, s)
			}
		})
	}
}
