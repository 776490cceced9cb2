package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
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
	var answer struct {
		Self  string
		Nodes []cluster.Node
		Links int
		Lost  uint64
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("%s is not a node of a cluster, or not its listener for operators (--admin-addr)", c.URL)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tADDRESS\tHUBS\tBROWSERS\tUP\tSTATE")
	for _, n := range answer.Nodes {
		state := "serves"
		if n.Draining {
			state = "drains"
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
