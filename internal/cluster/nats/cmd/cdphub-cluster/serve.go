package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/cluster/nats"
	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/server"
)

// serveFlags are the options of `cdphub-cluster serve` beside those of `cdphub serve`.
type serveFlags struct {
	ClusterAddr      string   `help:"Address to listen on for other nodes. With this option, the hub is a node of a cluster. It needs --cluster-keys." env:"CDPHUB_CLUSTER_ADDR" placeholder:"ADDR" group:"Cluster:" basic:""`
	ClusterAdvertise string   `help:"Address at which the other nodes reach --cluster-addr. Default: that address." env:"CDPHUB_CLUSTER_ADVERTISE" placeholder:"ADDR" needs:"cluster-addr" group:"Cluster:"`
	ClusterKeys      string   `help:"Folder with the keys of the cluster, as cdphub-cluster cluster keys writes it." env:"CDPHUB_CLUSTER_KEYS" placeholder:"DIR" needs:"cluster-addr" group:"Cluster:" basic:""`
	ClusterName      string   `help:"Name of this node. Each node needs its own name, and must have the same name after a restart. Default: the name of the machine." env:"CDPHUB_CLUSTER_NAME" placeholder:"NAME" needs:"cluster-addr" group:"Cluster:" basic:""`
	MaxBrowsers      int      `name:"cluster-max-browsers" help:"Maximum number of browsers that all nodes together run at the same time, in addition to --max-browsers of each node. Give all nodes the same number. Default: no limit except --max-browsers of each node." env:"CDPHUB_CLUSTER_MAX_BROWSERS" placeholder:"N" needs:"cluster-addr" group:"Cluster:"`
	DirectoryAddr    string   `help:"Address to listen on for the directory servers of other nodes. With this option, a NATS server runs in this process." env:"CDPHUB_DIRECTORY_ADDR" placeholder:"ADDR" needs:"cluster-addr" useless-with:"directory-url" group:"Cluster:" basic:""`
	DirectoryPeers   []string `help:"The --directory-addr of all nodes. The address of this node may be among them. Default: the directory has this server only." env:"CDPHUB_DIRECTORY_PEERS" placeholder:"ADDR" needs:"directory-addr" group:"Cluster:" basic:""`
	DirectoryDir     string   `help:"Folder with the data that the directory server needs after a restart. Default: a folder that is removed when the process ends." env:"CDPHUB_DIRECTORY_DIR" placeholder:"DIR" needs:"directory-addr" group:"Cluster:"`
	DirectoryURL     string   `name:"directory-url" help:"URL of NATS servers with JetStream to use as the directory, instead of --directory-addr." env:"CDPHUB_DIRECTORY_URL" placeholder:"URL" needs:"cluster-addr" group:"Cluster:" basic:""`
	Replicas         int      `name:"directory-replicas" help:"Number of servers that store each record of the directory: 1, 3 or 5. Default: 3, or 1 if this server is the only one." env:"CDPHUB_DIRECTORY_REPLICAS" needs:"cluster-addr" group:"Cluster:"`
}

// joinWithin is how long the directory may take until it is there: all its servers may
// start at the same time.
const joinWithin = 2 * time.Minute

// Apply implements cli.ServeExtra.
func (f *serveFlags) Apply(ctx context.Context, o *server.Options) (end func(), err error) {
	if f.ClusterAddr == "" {
		return func() {}, nil
	}
	keys, err := f.check()
	if err != nil {
		return nil, err
	}
	name := f.ClusterName
	if name == "" {
		if name, err = os.Hostname(); err != nil {
			return nil, fmt.Errorf("this machine has no name: set --cluster-name: %w", err)
		}
	}
	var ends []func()
	end = func() {
		for i := range ends {
			ends[len(ends)-1-i]()
		}
	}
	fail := func(err error) (func(), error) {
		end()
		return nil, err
	}
	ln, err := net.Listen("tcp", f.ClusterAddr)
	if err != nil {
		return fail(fmt.Errorf("--cluster-addr: %w", err))
	}
	ends = append(ends, func() { ln.Close() })
	d := natsdir.Options{
		URL: f.DirectoryURL, Replicas: f.Replicas, Log: o.Log,
		Node: cluster.Node{Name: name, Peer: cmp.Or(f.ClusterAdvertise, ln.Addr().String()), Version: version.Current().Version},
	}
	if f.DirectoryAddr != "" {
		if d.Server, err = natsdir.StartServer(natsdir.ServerOptions{
			Name: name, Addr: f.DirectoryAddr, Routes: f.DirectoryPeers, TLS: keys.mutual(), Dir: f.DirectoryDir,
		}); err != nil {
			return fail(err)
		}
		ends = append(ends, d.Server.Close)
		if len(f.DirectoryPeers) == 0 {
			d.Replicas = cmp.Or(d.Replicas, 1)
		}
	}
	var own []net.Addr
	if d.Server != nil {
		own = d.Server.Addrs()
	}
	joining, cancel := context.WithTimeout(ctx, joinWithin)
	defer cancel()
	dir, err := natsdir.Open(joining, d)
	if err != nil {
		return fail(err)
	}
	o.Cluster = &server.Cluster{Directory: dir, Listener: ln, Certificate: keys.pair, CA: keys.pool, Key: keys.secret, Own: own, MaxBrowsers: f.MaxBrowsers}
	return end, nil
}

// check reads the keys, and refuses options that cannot go together.
func (f *serveFlags) check() (*keys, error) {
	switch {
	case f.ClusterKeys == "":
		return nil, errors.New("--cluster-addr needs --cluster-keys: write them with cdphub-cluster cluster keys DIR, and give each node the same folder")
	case f.DirectoryAddr == "" && f.DirectoryURL == "":
		return nil, errors.New("--cluster-addr needs a directory: add --directory-addr, or --directory-url for NATS servers that exist already")
	case f.MaxBrowsers < 0:
		return nil, fmt.Errorf("--cluster-max-browsers=%d is not valid: set 1 or more, or leave it out", f.MaxBrowsers)
	case f.Replicas != 0 && f.Replicas != 1 && f.Replicas != 3 && f.Replicas != 5:
		return nil, fmt.Errorf("--directory-replicas=%d is not valid: set 1, 3 or 5", f.Replicas)
	}
	if at, err := netip.ParseAddrPort(cmp.Or(f.ClusterAdvertise, f.ClusterAddr)); err == nil && at.Addr().IsUnspecified() {
		return nil, fmt.Errorf("other nodes cannot reach %s: set --cluster-advertise to an address of this machine", at)
	}
	return readKeys(f.ClusterKeys)
}

// mutual is for both ends of a connection between servers of the directory. Routes are
// made to addresses, which no certificate names: the authority is for this cluster alone.
func (k *keys) mutual() *tls.Config {
	return server.ClusterTLS(k.pair, k.pool)
}
