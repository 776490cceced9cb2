package named

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// pupil is a Client that resumes, as docs/sessions.md says it should. What is on the way
// when its connection is cut is lost.
type pupil struct {
	*rig
	link     *Link
	line     *line
	stream   string
	received int
	sent     []int    // ids of commands
	answers  []string // and what else has come
	gaps     int
}

// connect resumes, or begins.
func (p *pupil) connect() {
	p.Helper()
	query := "session=work&resume=on"
	if p.stream != "" {
		query = fmt.Sprintf("session=work&resume=%s.%d", p.stream, p.received)
	}
	p.link, p.line = p.join("a", query)
	got := p.line.take()
	_, rest, _ := strings.Cut(got[0], `"stream":"`)
	p.stream, rest, _ = strings.Cut(rest, `"`)
	_, count, _ := strings.Cut(rest, `"received":`)
	reached, err := strconv.Atoi(strings.TrimSuffix(count, "}}"))
	if err != nil {
		p.Fatalf("%s: %v", got[0], err)
	}
	if len(got) > 1 && strings.Contains(got[1], "CdpHub.gap") {
		var from, to int
		if _, err := fmt.Sscanf(got[1], `{"method":"CdpHub.gap","params":{"from":%d,"to":%d}}`, &from, &to); err != nil || from != p.received+1 || to < from {
			p.Errorf("%d had come, and %s", p.received, got[1])
		}
		p.gaps++
		for range to - p.received {
			p.answers = append(p.answers, "lost")
		}
		p.received = to
		got = got[1:]
	}
	p.take(got[1:])
	for _, id := range p.sent[reached:] {
		ask(p.link, id)
	}
}

func (p *pupil) take(messages []string) {
	p.answers = append(p.answers, messages...)
	p.received += len(messages)
}

// TestR205RandomCuts has a Client send commands over connections that are cut, where any
// of what is on its way in both directions is lost. Each command is answered once, in
// order, but for those in gaps.
func TestR205RandomCuts(t *testing.T) {
	for seed := range uint64(20) {
		for _, messages := range []int{4, 16384} {
			random := rand.New(rand.NewPCG(seed, 0))
			p := &pupil{rig: newRig(t, Options{Messages: messages})}
			p.connect()
			for range 2000 {
				switch n := random.IntN(10); {
				case n < 6:
					p.sent = append(p.sent, len(p.sent)+1)
					if random.IntN(4) > 0 { // else it is lost, and so is the connection
						ask(p.link, len(p.sent))
						break
					}
					fallthrough
				case n < 8:
					got := p.line.take()
					p.take(got[:random.IntN(len(got)+1)])
					if random.IntN(2) == 0 { // else the hub does not know yet
						p.link.Left()
					}
					old := p.link
					p.connect()
					ask(old, -1) // which is heard no more
				default:
					p.take(p.line.take())
				}
			}
			p.take(p.line.take())
			if len(p.answers) != len(p.sent) {
				t.Fatalf("seed %d: %d commands, %d answers", seed, len(p.sent), len(p.answers))
			}
			for i, want := range answers(p.sent...) {
				if got := p.answers[i]; got != want && got != "lost" {
					t.Fatalf("seed %d: answer %d is %s", seed, i, got)
				}
			}
			if lost := slices.Contains(p.answers, "lost"); lost != (p.gaps > 0) || lost && messages > 4 {
				t.Errorf("seed %d: %d gaps", seed, p.gaps)
			}
			p.sessions.End(p.key("a", "work"))
		}
	}
}

// BenchmarkDeliver compares a named session that can be resumed with one that cannot.
func BenchmarkDeliver(b *testing.B) {
	hub := relay.New(relay.Options{})
	for name, numbered := range map[string]bool{"plain": false, "resumable": true} {
		b.Run(name, func(b *testing.B) {
			ss := New(Options{})
			client, err := hub.Admit(relay.ClientOptions{})
			if err != nil {
				b.Fatal(err)
			}
			hold := func(func(wsconn.Reason)) func() { return func() {} }
			link, err := ss.Join(Key{Name: "work"}, &Request{Name: "work", Numbered: numbered}, sink{}, &Begin{Client: client, Release: func() {}, Hold: hold})
			if err != nil {
				b.Fatal(err)
			}
			f := wire.Frame{Head: make([]byte, 50), Body: make([]byte, 200), Tail: make([]byte, 50)}
			b.ReportAllocs()
			for b.Loop() {
				link.stream.Deliver(f)
			}
			ss.End(Key{Name: "work"})
		})
	}
}

// sink is a connection that takes everything.
type sink struct{}

func (sink) Deliver(wire.Frame) bool { return true }
func (sink) Close(wsconn.Reason)     {}
