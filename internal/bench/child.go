package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cdphub/cdphub/internal/bench/probe"
)

const module = "github.com/cdphub/cdphub"

// programs are the executables that are measured, and this one.
type programs struct {
	hub, splice, bench string
}

// build compiles them into dir. The hub is the product's own command with one
// file laid over it, which adds the probe.
func build(ctx context.Context, dir string) (p programs, err error) {
	folder, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", module+"/cmd/cdphub").Output()
	if err != nil {
		return p, fmt.Errorf("find cmd/cdphub: %w", err)
	}
	added := filepath.Join(dir, "probe.go")
	source := "package main\n\nimport \"" + module + "/internal/bench/probe\"\n\nfunc init() { probe.Listen() }\n"
	if err := os.WriteFile(added, []byte(source), 0o600); err != nil {
		return p, err
	}
	overlay := filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(strings.TrimSpace(string(folder)), "zz_probe.go"): added},
	})
	if err != nil {
		return p, err
	}
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return p, err
	}
	p = programs{hub: filepath.Join(dir, "cdphub"), splice: filepath.Join(dir, "splice"), bench: filepath.Join(dir, "bench")}
	for _, args := range [][]string{
		{"build", "-overlay", overlay, "-o", p.hub, module + "/cmd/cdphub"},
		{"build", "-o", p.splice, module + "/internal/bench/splice"},
		{"build", "-o", p.bench, module + "/internal/bench"},
	} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return p, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
		}
	}
	return p, nil
}

// child is a program under measurement.
type child struct {
	cmd     *exec.Cmd
	clients string // HOST:PORT for Clients
	hosts   string // HOST:PORT for the Host
	memory  chan probe.Memory
	toggled chan struct{} // a profile has begun or ended
	drained chan struct{} // closed when it has closed its standard error
}

// line is what is read of a line of the child's log.
type line struct {
	probe.Memory
	Level   string `json:"level"`
	Addr    string `json:"addr"`
	Clients bool   `json:"clients"`
	Hosts   bool   `json:"hosts"`
}

// start runs a program and waits until it listens on both sides. A child that
// cannot be started prints why on standard error.
func start(ctx context.Context, profile, path string, args ...string) (*child, error) {
	c := &child{
		cmd:     exec.Command(path, args...),
		memory:  make(chan probe.Memory, 1),
		toggled: make(chan struct{}, 1),
		drained: make(chan struct{}),
	}
	c.cmd.Env = append(os.Environ(), probe.EnvProfile+"="+profile)
	out, err := c.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	// There is one line for each of both listeners, so that read never waits here.
	listening := make(chan line, 2)
	go c.read(out, listening)
	for c.clients == "" || c.hosts == "" {
		select {
		case l := <-listening:
			if l.Clients {
				c.clients = l.Addr
			}
			if l.Hosts {
				c.hosts = l.Addr
			}
		// A child that has ended has closed its standard error: nobody else has it.
		case <-c.drained:
			return nil, fmt.Errorf("%s ended: %w", filepath.Base(path), c.cmd.Wait())
		case <-time.After(10 * time.Second):
			c.stop()
			return nil, fmt.Errorf("%s does not listen", filepath.Base(path))
		case <-ctx.Done():
			c.stop()
			return nil, ctx.Err()
		}
	}
	return c, nil
}

// read follows the child's log, and passes on what somebody should see.
func (c *child) read(r io.Reader, listening chan<- line) {
	defer close(c.drained)
	for s := bufio.NewScanner(r); s.Scan(); {
		var l line
		if json.Unmarshal(s.Bytes(), &l) != nil {
			fmt.Fprintln(os.Stderr, s.Text())
			continue
		}
		switch {
		case l.Msg == "listening":
			listening <- l
		case l.Msg == "memory":
			c.memory <- l.Memory
		case l.Msg == "profile":
			c.toggled <- struct{}{}
		case l.Level == "warn" || l.Level == "error":
			fmt.Fprintln(os.Stderr, s.Text())
		}
	}
}

// stop ends the child and waits for it.
func (c *child) stop() {
	c.cmd.Process.Kill() //nolint:errcheck // it may have ended
	<-c.drained
	c.cmd.Wait() //nolint:errcheck // it was killed
}

// live asks the child for its live memory, after a garbage collection.
func (c *child) live() (probe.Memory, error) {
	return ask(c, syscall.SIGUSR1, c.memory)
}

// profile starts or ends the child's CPU profile.
func (c *child) profile() error {
	_, err := ask(c, syscall.SIGUSR2, c.toggled)
	return err
}

// ask sends the child's probe a signal and returns its answer.
func ask[T any](c *child, s syscall.Signal, answer <-chan T) (t T, err error) {
	if err := c.cmd.Process.Signal(s); err != nil {
		return t, err
	}
	select {
	case t = <-answer:
		return t, nil
	case <-time.After(10 * time.Second):
		return t, fmt.Errorf("process %d does not answer %v", c.cmd.Process.Pid, s)
	}
}

// resident is the child's resident set in bytes.
func (c *child) resident() (int64, error) {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(statm)) // proc(5): the second is resident pages
	if len(fields) < 2 {
		return 0, fmt.Errorf("statm of %d: %q", c.cmd.Process.Pid, statm)
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}
