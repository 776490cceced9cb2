// Command cdphub-cluster is cdphub with the options that make it a node of a cluster.
// It is a program of its own so that cdphub holds no NATS.
package main

import "github.com/cdphub/cdphub/internal/cli"

func main() { cli.Main(clusterExtras()) }

func clusterExtras() cli.Extras {
	return cli.Extras{Program: "cdphub-cluster", Serve: new(serveFlags), Commands: new(commands)}
}

// commands are those beside the commands of cdphub.
type commands struct {
	Cluster struct {
		Keys   keysCmd   `cmd:"" help:"Write a new authority, a certificate and a key for the nodes of a cluster."`
		Status statusCmd `cmd:"" help:"Print the nodes of the cluster, as the asked node knows them."`
		Drain  drainCmd  `cmd:"" help:"Drain a node, which then ends as after SIGTERM. Any node of the cluster can be asked to do this."`
	} `cmd:"" help:"Create keys for a cluster, list its nodes, and drain nodes."`
}
