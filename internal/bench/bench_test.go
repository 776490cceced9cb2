package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRun measures everything once, too briefly to mean anything: each load
// must run on both sides and end.
func TestRun(t *testing.T) {
	var out, log bytes.Buffer
	figures := filepath.Join(t.TempDir(), "figures")
	if err := run(t.Context(), []string{"-figures", figures, "-rounds", "1", "-each", "5ms", "-hubs", "5", "-hosts", "20"}, &out, &log); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	noted, err := os.ReadFile(figures)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"BenchmarkHub/attach_and_detach,_bursts_of_16 1 ", " hub/splice\n", "BenchmarkMemory/idle_Host_on_a_hub_of_its_own,_of_20 1 ", "BenchmarkFair/", " p99/control "} {
		if !strings.Contains(string(noted), line) {
			t.Errorf("the figures have no %q:\n%s", line, noted)
		}
	}
	for _, c := range cases() {
		if !strings.Contains(out.String(), "  "+c.name+"\n") {
			t.Errorf("no row for %q", c.name)
		}
	}
	for _, m := range memoryCases(config{hubs: 5, hosts: 20}) {
		if !strings.Contains(out.String(), "  "+m.name+"\n") {
			t.Errorf("no row for %q", m.name)
		}
	}
	for _, f := range fairCases() {
		if !strings.Contains(out.String(), "  "+f.name+"\n") {
			t.Errorf("no row for %q", f.name)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

func TestBadFlags(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-each", "0s"}, {"-run", "("}, {"-nonsense"}} {
		if _, err := parse(args, &bytes.Buffer{}); err == nil {
			t.Errorf("parse of %v found nothing wrong", args)
		}
	}
}

func TestCPUTime(t *testing.T) {
	for name, of := range map[string]func(int) (time.Duration, error){"schedstat": cpuTime, "ticks": cpuTicks} {
		before, err := of(os.Getpid())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		// On a busy machine the loop does not have the CPU all the time.
		begun := time.Now()
		for used := time.Duration(0); used < 20*time.Millisecond; {
			after, err := of(os.Getpid())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if used = after - before; time.Since(begun) > 20*time.Second {
				t.Fatalf("%s: a loop of 20 s has used %v", name, used)
			}
		}
		if time.Since(begun) < time.Millisecond {
			t.Errorf("%s: 20 ms of CPU time went by in 1 ms", name)
		}
	}
}

func TestPayloads(t *testing.T) {
	for name, of := range map[string]func(int) []byte{"nodes": nodes, "one string": oneString} {
		for _, size := range []int{100, eventBytes, 4 << 10, 256 << 10} {
			p := of(size)
			if len(p) != size || !json.Valid(p) {
				t.Errorf("%s of %d bytes: %d bytes, valid JSON: %v", name, size, len(p), json.Valid(p))
			}
		}
	}
}

func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		rounds []float64
		want   spread
	}{
		{[]float64{2}, spread{2, 2, 2}},
		{[]float64{9, 1, 2}, spread{2, 1, 9}},
		{[]float64{4, 1, 9, 2}, spread{3, 1, 9}},
	} {
		if got := spreadOf(tt.rounds); got != tt.want {
			t.Errorf("spreadOf(%v) = %v, want %v", tt.rounds, got, tt.want)
		}
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	one := spread{1, 1, 1}
	err := printTable(&out, []row{
		{eventAlone, one, spread{100, 100, 100}, spread{3, 2, 9}, budgetSmall},
		{eventElsewhere, one, spread{150, 150, 150}, spread{3.01, 2, 9}, budgetSmall},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"budget", "ok  " + eventAlone, "over  " + eventElsewhere, "1.50 times"} {
		if lines := strings.Split(out.String(), "\n"); len(lines) <= i || !strings.Contains(lines[i], want) {
			t.Errorf("line %d does not contain %q:\n%s", i, want, &out)
		}
	}
}

func TestBudget(t *testing.T) {
	for size, want := range map[int]float64{0: 3, 4095: 3, 4096: 1.5, 1 << 20: 1.5} {
		if got := (benchCase{bytes: size}).budget(); got != want {
			t.Errorf("budget for %d bytes is %v, want %v", size, got, want)
		}
	}
}
