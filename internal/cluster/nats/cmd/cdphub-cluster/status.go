package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cdphub/cdphub/internal/cluster"
)

// statusCmd is `cdphub-cluster cluster status`.
type statusCmd struct {
	operatorFlags
	JSON bool `name:"json" help:"Print what the node answers, as JSON."`
}

// Run prints a line for each node.
func (c *statusCmd) Run(ctx context.Context, out io.Writer) error {
	body, err := c.ask(ctx, http.MethodGet, "/cluster", http.StatusOK)
	if err != nil {
		return err
	}
	if c.JSON {
		_, err := out.Write(body)
		return err
	}
	answer, err := c.readStatus(body)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tADDRESS\tHUBS\tBROWSERS\tUP\tSTATE")
	for _, n := range answer.Nodes {
		state := "serves"
		if n.Draining {
			state = "drains" + describeWaits(n.Waits)
		}
		if n.ID == answer.Self {
			state += fmt.Sprintf(" (asked; passes on %d)", answer.Links)
		}
		browsers := "-"
		if b := n.Browsers; b != nil {
			browsers = fmt.Sprintf("%d of %d", b.Running, b.Max)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", n.Name, n.Peer, n.Hubs, browsers, time.Since(n.Since).Truncate(time.Second), state)
	}
	return w.Flush()
}

// clusterStatus is the answer of GET /cluster.
type clusterStatus struct {
	Self  string
	Nodes []cluster.Node
	Links int
	Lost  uint64
}

func (c *operatorFlags) readStatus(body []byte) (answer clusterStatus, err error) {
	if err := json.Unmarshal(body, &answer); err != nil {
		return answer, fmt.Errorf("%s is not a node of a cluster, or not its listener for operators (--admin-addr)", c.URL)
	}
	return answer, nil
}

// describeWaits says what a node waits for: ", waits for 2 Clients and 1 browser until 15:04:05".
func describeWaits(w *cluster.Waits) string {
	if w == nil {
		return ""
	}
	var parts []string
	for _, one := range []struct {
		n    int
		what string
	}{{w.Clients, "Client"}, {w.Forwarded, "forwarded Client"}, {w.Browsers, "browser"}} {
		switch {
		case one.n == 1:
			parts = append(parts, "1 "+one.what)
		case one.n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", one.n, one.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ", waits for " + strings.Join(parts, " and ") + " until " + w.Until.Local().Format(time.TimeOnly)
}
