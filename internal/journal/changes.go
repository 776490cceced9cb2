package journal

import (
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/secrets"
	"github.com/cdphub/cdphub/relay"
)

// change is something that was set in a page without being typed, or clicked by a script.
type change struct {
	Do     string
	On     *Element
	Length int
	Values []string
	Key    string  // the value of the first option
	Script bool    // a script has done it
	Ago    float64 // milliseconds
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

// scriptEnds asks what a script of a Client has set, as soon as it has ended. Answers come in
// order, so one question in flight stands for all scripts that have ended before it.
func (o *observer) scriptEnds(c relay.Observed) func([]byte, *relay.Error) {
	if c.Inside || o.worlds[c.TargetID] == 0 {
		return nil
	}
	key, session, client := o.key(strings.Clone(c.TargetID)), c.SessionID, c.Client
	return func([]byte, *relay.Error) {
		world := o.worlds[key.target]
		if world == 0 || o.pulling[key.target] || o.away[key.target] {
			return
		}
		o.pulling.put(key.target, true)
		asked := time.Now()
		o.hub.Control().AskNow(session, evaluate, probeParams(world, "changes", 0, 0), func(result []byte, err *relay.Error) {
			delete(o.pulling, key.target)
			// Most scripts set nothing.
			if s := readPageState(result, err != nil || o.away[key.target]); s != nil && len(s.Changes) > 0 {
				o.happened(key, len(result), asked, func(j *Journal, l *line) {
					l.session, l.probe.scripter, l.probe.scripting = session, client, asked
					l.took(j, s, time.Now())
				})
			}
		})
	}
}

// took keeps what an answer of the script tells beside elements: what has been set before a time,
// and what can be read.
func (l *line) took(j *Journal, s *pageState, before time.Time) {
	for _, c := range s.Changes {
		at := time.Now().Add(-time.Duration(c.Ago * float64(time.Millisecond)))
		if at.After(before) {
			at = before
		}
		l.keepChange(j, &c, at)
	}
	if s.Reads != nil {
		l.read(j, s, before)
	}
}

// changeTexts say what was done, by what an Action does.
var changeTexts = map[string]string{
	Click: "clicked by a script", Fill: "set", Select: "chose an option", Check: "checked", Uncheck: "unchecked", Upload: "chose files",
}

// keepChange makes an entry of a change. What a page does by itself is none: of what scripts do, only
// that of a Client's counts.
func (l *line) keepChange(j *Journal, c *change, at time.Time) {
	what := changeTexts[c.Do]
	if what == "" || c.Script && time.Since(l.probe.scripting) > scriptWithin {
		return
	}
	l.endTyping(j)
	a := &Action{Do: c.Do, Length: c.Length, On: l.cleaned(c.On)}
	a.Key = l.cleanWith(c.Key, 200, l.typed.redactSecrets)
	for _, value := range c.Values[:min(len(c.Values), mostReads)] {
		a.Values = append(a.Values, l.cleanWith(value, 200, l.typed.redactSecrets))
	}
	if a.On != nil && a.On.Secret { // as of a month in which a card expires
		a.Key, a.Values = secrets.Redacted, nil
		if c.Do == Select {
			a.Values = []string{secrets.Redacted}
		}
	}
	j.acted(l, Entry{At: at.UnixMilli(), Client: l.probe.scripter, Text: what + a.On.words(), Action: a})
}

// read keeps the texts that were there at the answer before, and are still there.
func (l *line) read(j *Journal, s *pageState, before time.Time) {
	r := &l.probe.reads
	if r.born != s.Born || r.since == nil {
		*r = reads{born: s.Born, since: map[text]time.Time{}, stated: map[text]bool{}}
	}
	now := min(time.Now().UnixMilli(), before.UnixMilli())
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
	return words != "" && len([]rune(words)) <= longestRead && !strings.ContainsAny(words, "0123456789") &&
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
				l.took(j, s, time.Now())
			}
		})
	}
}
