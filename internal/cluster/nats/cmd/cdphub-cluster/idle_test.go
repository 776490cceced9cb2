package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// dialsVariable has this binary connect Hosts, for a process may open so many files only:
// "ADDRESS FROM TO", of hubs by number.
const dialsVariable = "CDPHUB_DIALS"

// dialHosts connects a Host to each hub, 16 at a time, says "done", and keeps them until its
// input ends.
func dialHosts(order string) error {
	var addr string
	var from, to int
	if _, err := fmt.Sscan(order, &addr, &from, &to); err != nil {
		return err
	}
	var all sync.WaitGroup
	var failed atomic.Pointer[error]
	turns := make(chan struct{}, 16)
	for i := from; i < to; i++ {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			conn, err := wsconn.Dial(context.Background(), fmt.Sprintf("ws://%s/hub/h%d/icdp/host", addr, i), nil, wsconn.Limits{})
			if err != nil {
				failed.Store(&err)
				return
			}
			go conn.Serve(context.Background(), func([]byte) {})
			conn.Deliver(wsconn.Frame{Head: []byte(hubtest.Ready)})
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	fmt.Fprintln(os.Stdout, "done")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// BenchmarkIdleHubs prints what hubs cost that have a Host each and nothing to do, over
// three nodes, and how many are claimed in a second when Hosts come. CDPHUB_IDLE_HUBS says
// how many there are. Each is a file of its node, and of the process that dials it.
func BenchmarkIdleHubs(b *testing.B) {
	hubs := 3000
	if said := os.Getenv("CDPHUB_IDLE_HUBS"); said != "" {
		var err error
		if hubs, err = strconv.Atoi(said); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		// Of a trusted proxy, any number of connections is taken.
		nodes, _ := example(b, b.TempDir(), "--trusted-proxy", "127.0.0.1")
		for _, n := range nodes {
			n.host()
		}
		before := resident(b, nodes)
		begun := time.Now()
		var dialers []*bufio.Scanner
		for i, n := range nodes {
			dialers = append(dialers, dialer(b, fmt.Sprint(n.hosts, " ", hubs*i/len(nodes), " ", hubs*(i+1)/len(nodes))))
		}
		for _, d := range dialers {
			if !d.Scan() || d.Text() != "done" {
				b.Fatalf("not all Hosts are connected: %s", d.Text())
			}
		}
		took := time.Since(begun)
		hosts := 0
		for _, n := range nodes {
			_, metrics := hubtest.Get(b, n.admin, "/metrics", nil)
			_, rest, _ := strings.Cut(metrics, "\ncdphub_hosts ")
			var now int
			fmt.Sscan(rest, &now)
			hosts += now
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(hosts), "hosts")
		b.ReportMetric(float64(hubs)/took.Seconds(), "claims/s")
		b.ReportMetric(float64(resident(b, nodes)-before)/1024/float64(hubs), "KB/hub")
	}
}

// dialer runs dialHosts, and returns what it prints.
func dialer(b *testing.B, order string) *bufio.Scanner {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), dialsVariable+"="+order), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return bufio.NewScanner(out)
}
