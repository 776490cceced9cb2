package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
)

const (
	roundTime = 100 * time.Millisecond // of one round of one program
	settle    = 3 * time.Millisecond   // for a program to go to sleep after the last answer
	restAfter = 3 * time.Second        // when a connection without traffic has given back what it can
)

// measured is a program with its load.
type measured struct {
	name string
	side *side
	load *load

	writes float64 // system calls that wrote, for each operation of the last round
}

// openCase starts the programs of a case: the hub, the same without what watches, the splice
// and, with -against, another hub.
func openCase(tb testing.TB, c benchCase, program string) []*measured {
	tb.Helper()
	s, l, m := c.open(tb, startHub(tb, program))
	spliced := openSplice(tb, m.splice, m.answer)
	all := []*measured{{name: "hub", side: s, load: l}, {name: "splice", side: spliced, load: m.load(spliced)}}
	add := func(name, program string, more ...string) {
		s, l, _ := c.open(tb, startHub(tb, program, more...))
		all = append(all, &measured{name: name, side: s, load: l})
	}
	add("bare", program, "--no-timeline", "--ui=false")
	if *against != "" {
		add("against", *against)
	}
	return all
}

// BenchmarkHub measures CPU time of the hub's process, and how many times that of the splice,
// of the bare hub and of the other hub it is; and how many system calls write, for each
// operation.
func BenchmarkHub(b *testing.B) {
	program := buildHub(b)
	for _, c := range cases() {
		b.Run(c.name, func(b *testing.B) {
			programs := openCase(b, c, program)
			for _, p := range programs {
				p.cost(b, c.burst) // warms it up
			}
			costs, ratios, writes := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
			for b.Loop() {
				round := map[string]float64{}
				for _, p := range programs {
					round[p.name] = p.cost(b, c.burst)
					writes[p.name] = append(writes[p.name], p.writes)
					costs[p.name] = append(costs[p.name], round[p.name])
				}
				// The ratio is that of neighbours in time, not of the medians.
				for name, cost := range round {
					ratios[name] = append(ratios[name], round["hub"]/cost)
				}
				// The order alternates: a CPU that gets slower or faster during the rounds
				// then does the same to all programs.
				slices.Reverse(programs)
			}
			b.ReportMetric(0, "ns/op") // which is the time of a round
			for _, p := range programs {
				b.ReportMetric(median(costs[p.name]), p.name+"-ns")
				b.ReportMetric(median(writes[p.name]), p.name+"-writes")
				if p.name == "hub" {
					continue
				}
				ratio := median(ratios[p.name])
				b.ReportMetric(ratio, "hub/"+p.name)
				if p.name == "against" && *most > 0 && ratio > *most {
					b.Errorf("it takes %.2f times the CPU time of %s, at most %.2f is allowed", ratio, *against, *most)
				}
			}
		})
	}
}

// cost runs one round and returns the CPU time of an operation in ns.
func (p *measured) cost(tb testing.TB, burst int) float64 {
	tb.Helper()
	pid := p.side.child.cmd.Process.Pid
	before, written, operations := cpuTime(tb, pid), writeCalls(tb, pid), 0
	for begun := time.Now(); time.Since(begun) < roundTime; operations += burst {
		p.side.burst(p.load, burst)
	}
	time.Sleep(settle)
	used := cpuTime(tb, pid) - before
	if used <= 0 {
		tb.Fatalf("process %d has used no CPU time for %d operations", pid, operations)
	}
	p.writes = float64(writeCalls(tb, pid)-written) / float64(operations)
	return float64(used) / float64(operations)
}

// writeCalls is how many system calls of a process have written (proc_pid_io(5)).
func writeCalls(tb testing.TB, pid int) (n int64) {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err == nil {
		_, after, _ := strings.Cut(string(text), "syscw: ")
		line, _, _ := strings.Cut(after, "\n")
		n, err = strconv.ParseInt(line, 10, 64)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// cpuTime is the CPU time that the scheduler has counted for the threads of a process. A
// thread that has ended takes its count with it; the Go runtime keeps its threads.
func cpuTime(tb testing.TB, pid int) (sum time.Duration) {
	tb.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || files == nil {
		tb.Fatalf("process %d has no schedstat: %v", pid, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue
		}
		ran, _, _ := strings.Cut(string(text), " ") // ns on a CPU, ns waiting for one, time slices
		ns, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		sum += time.Duration(ns)
	}
	return sum
}

// trips is the round trips of one Client.
type trips struct {
	took []time.Duration
	time time.Duration // of all
}

// p99 is the time within which 99 of 100 trips ended.
func (t *trips) p99() float64 {
	slices.Sort(t.took)
	return float64(t.took[len(t.took)*99/100])
}

func (t *trips) perSecond() float64 { return float64(len(t.took)) / t.time.Seconds() }

// measure has the Client send one command after the other.
func (t *trips) measure(s *side, l *load) {
	begun := time.Now()
	for time.Since(begun) < roundTime {
		start := time.Now()
		s.burst(l, 1)
		t.took = append(t.took, time.Since(start))
	}
	t.time += time.Since(begun)
}

// BenchmarkFair measures round trips of one Client while others flood hubs of the same
// process, one for each CPU. The control are floods of another process: what so many busy
// processes cost each other on this machine, no hub can answer for.
func BenchmarkFair(b *testing.B) {
	program := buildHub(b)
	hub, other := startHub(b, program), startHub(b, program)
	s, l, _ := roundTrip("", 1, 1, nodes(100)).open(b, hub)
	var shared, control trips
	for round := 0; b.Loop(); round++ {
		for c, t := range map[*child]*trips{hub: &shared, other: &control} {
			var stops []func()
			for i := range runtime.NumCPU() {
				stops = append(stops, startFlood(b, c.clients+","+c.hosts, fmt.Sprintf("/hub/bench-%d-%d", round, i)))
			}
			new(trips).measure(s, l) // warms up
			t.measure(s, l)
			for _, stop := range stops {
				stop()
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(shared.p99()/control.p99(), "p99/control")
	b.ReportMetric(shared.perSecond()/control.perSecond(), "speed/control")
}

// memoryCases say how a hub gets one thing more whose memory is measured.
var memoryCases = []struct {
	name   string
	number int
	open   func(s *side, i int)
}{
	{"idle Client", 1000, func(s *side, _ int) { s.addClient("") }},
	{"idle Host on a hub of its own", 10_000, func(s *side, i int) { s.addHost(fmt.Sprintf("/hub/bench-%d", i), 0) }},
	{"hub with a Host, two Targets and two Clients", 1000, func(s *side, i int) {
		path := fmt.Sprintf("/hub/bench-%d", i)
		s.addHost(path, 2)
		s.addClient(path)
		s.addClient(path)
	}},
}

// addClient connects a Client that asks once and is then silent.
func (s *side) addClient(path string) {
	s.clients = []*wsconn.Conn{s.connect("ws://"+s.child.clients+path+"/devtools/browser", s.receive)}
	s.ask([]byte(`{"id":1,"method":"Browser.getVersion"}`), func([]byte) bool { return true })
}

func (s *side) addHost(path string, targets int) {
	send(s.connect("ws://"+s.child.hosts+path+"/icdp/host", func(*wsconn.Conn, []byte) {}), readyMessage(targets))
}

// BenchmarkMemory measures live heap and stacks of the hub's process, for each of many
// things that are idle.
func BenchmarkMemory(b *testing.B) {
	for _, c := range memoryCases {
		b.Run(c.name, func(b *testing.B) {
			var more int64
			for b.Loop() {
				s := openHub(b, startHub(b, os.Args[0]), "", 1, 1, nil)
				before := s.child.liveMemory(b)
				for i := range c.number {
					c.open(s, i)
				}
				time.Sleep(restAfter)
				more = s.child.liveMemory(b) - before
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(more)/float64(c.number)/1000, "kB")
		})
	}
}

// TestLoads runs each load once, too briefly to mean anything: it must run on the hub and
// on the splice, and end.
func TestLoads(t *testing.T) {
	program := buildHub(t)
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range openCase(t, c, program) {
				p.side.burst(p.load, 3*c.burst)
				if cpuTime(t, p.side.child.cmd.Process.Pid) <= 0 {
					t.Errorf("the %s has used no CPU time", p.name)
				}
			}
		})
	}
	hub := startHub(t, os.Args[0])
	s, l, _ := roundTrip("", 1, 1, nodes(100)).open(t, hub)
	stop := startFlood(t, hub.clients+","+hub.hosts, "/hub/flooded")
	s.burst(l, 100)
	stop()
	for _, c := range memoryCases {
		c.open(s, 0)
	}
	if live := hub.liveMemory(t); live <= 0 {
		t.Errorf("a hub of %d bytes", live)
	}
}

func TestPayloads(t *testing.T) {
	for name, payload := range map[string]func(int) []byte{"nodes": nodes, "one string": oneString} {
		for _, size := range []int{100, 200, 4 << 10, 256 << 10} {
			if p := payload(size); len(p) != size || !json.Valid(p) {
				t.Errorf("%s of %d bytes: %d bytes, valid JSON: %v", name, size, len(p), json.Valid(p))
			}
		}
	}
}
