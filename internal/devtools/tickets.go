package devtools

import (
	"crypto/rand"
	"sync"
	"time"
)

// Life is how long a ticket is good: long enough for a browser to load the front end.
const Life = time.Minute

// maxTickets bounds the tickets that are kept: a program that lists targets gets one
// for each, and most are never used. The oldest ticket of the asker that has the most
// goes first, so that no asker pushes out the tickets of another.
const maxTickets = 8192

// Tickets stand in place of a token in an address that opens one target: each works
// once, within Life. H is what is known of who has asked for it. The zero value
// works.
type Tickets[H any] struct {
	mu     sync.Mutex `stays:"maxTickets at most, which make room for others"` // guards all below
	made   map[string]ticket[H]
	queues map[string][]string // by asker, oldest first; some may be used
	queued int                 // in all queues
}

type ticket[H any] struct {
	place  Place
	holder H
	ends   time.Time
}

// Place is what a ticket opens.
type Place struct{ Hub, Target string }

// Make makes a ticket, a text of 26 letters and digits with at least 128 random bits
// (crypto/rand.Text). All tickets of an asker count together for maxTickets. It first
// forgets the asker's tickets that are too old or used.
func (t *Tickets[H]) Make(p Place, asker string, holder H) string {
	text, now := rand.Text(), time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.queues[asker]) > 0 {
		if oldest, there := t.made[t.queues[asker][0]]; there && now.Before(oldest.ends) {
			break
		}
		t.dropLocked(asker)
	}
	for t.queued >= maxTickets {
		most := ""
		for other, queue := range t.queues {
			if len(queue) > len(t.queues[most]) {
				most = other
			}
		}
		t.dropLocked(most)
	}
	if t.made == nil {
		t.made, t.queues = map[string]ticket[H]{}, map[string][]string{}
	}
	t.made[text] = ticket[H]{p, holder, now.Add(Life)}
	t.queues[asker] = append(t.queues[asker], text)
	t.queued++
	return text
}

// dropLocked forgets the oldest ticket of an asker.
func (t *Tickets[H]) dropLocked(asker string) {
	queue := t.queues[asker]
	delete(t.made, queue[0])
	t.queued--
	if t.queues[asker] = queue[1:]; len(queue) == 1 {
		delete(t.queues, asker)
	}
}

// Use returns the holder that Make was given. The ticket is used up by this call,
// whatever comes of it: ok is false for a ticket that is unknown, used, too old or
// for another place.
func (t *Tickets[H]) Use(text string, p Place) (holder H, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.made[text]
	delete(t.made, text)
	if !ok || found.place != p || !time.Now().Before(found.ends) {
		var none H
		return none, false
	}
	return found.holder, true
}
