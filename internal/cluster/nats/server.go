package natsdir

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/cdphub/cdphub/internal/tempdir"
)

// ServerOptions say how the servers of a directory find each other.
type ServerOptions struct {
	Name   string   // of this server; each has another, and keeps it when it starts again
	Addr   string   // where other servers reach this one
	Routes []string // addresses of the others, this one may be among them; none: it is alone
	TLS    *tls.Config
	Dir    string // for what the server must know after a restart; "": a folder that is removed in the end
}

// Server is a NATS server in this process.
type Server struct {
	s      *server.Server
	user   string
	secret string
	folder *tempdir.Dir // to remove in the end; nil for none
}

// memoryOfRecords bounds what the records may take, in bytes: some 500 a hub
// (scale.md measured it for JetStream in memory).
const memoryOfRecords = 1 << 30

// StartServer starts a server. It needs no other server to be there yet.
func StartServer(o ServerOptions) (*Server, error) {
	host, text, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return nil, fmt.Errorf("the address for the directory: %w", err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("the address for the directory, %s, has no port", o.Addr)
	}
	srv := &Server{user: "node", secret: rand.Text()}
	if o.Dir == "" {
		if srv.folder, err = newFolder(); err != nil {
			return nil, err
		}
		o.Dir = srv.folder.Path
	}
	so := &server.Options{
		ServerName: o.Name,
		// Without a listener for clients, the routes of a cluster never start
		// (nats-server 2.15.2): it is for this process, and has a password that only
		// this process knows.
		Host: "127.0.0.1", Port: server.RANDOM_PORT, Username: srv.user, Password: srv.secret,
		// The program handles its signals itself, and the directory logs what matters.
		NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: o.Dir, JetStreamMaxMemory: memoryOfRecords, JetStreamMaxStore: memoryOfRecords,
	}
	if len(o.Routes) > 0 { // a server alone must not wait for a majority
		so.Cluster = server.ClusterOpts{Name: "cdphub", Host: host, Port: int(port), TLSConfig: o.TLS, TLSTimeout: 5}
	}
	for _, route := range o.Routes {
		so.Routes = append(so.Routes, &url.URL{Scheme: "nats-route", Host: route})
	}
	if srv.s, err = server.NewServer(so); err != nil {
		srv.folder.Remove() //nolint:errcheck // the next server removes it
		return nil, fmt.Errorf("the server of the directory: %w", err)
	}
	go srv.s.Start()
	const ready = 10 * time.Second
	if !srv.s.ReadyForConnections(ready) {
		srv.Close()
		return nil, errors.New("the server of the directory does not start: " + o.Addr + " may be taken by another program")
	}
	return srv, nil
}

// connect joins a client in this process to the server. It needs no socket:
// nats.InProcessServer is a pipe in memory.
func (s *Server) connect(options []nats.Option) (*nats.Conn, error) {
	return nats.Connect("", append(options, nats.InProcessServer(s.s), nats.UserInfo(s.user, s.secret))...)
}

// Addrs are those at which the server listens.
func (s *Server) Addrs() (all []net.Addr) {
	for _, at := range []net.Addr{s.s.Addr(), s.s.ClusterAddr()} {
		if tcp, is := at.(*net.TCPAddr); is && tcp != nil {
			all = append(all, tcp)
		}
	}
	return all
}

// Close ends the server, and waits until it has.
func (s *Server) Close() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
	s.folder.Remove() //nolint:errcheck // the next server removes it
}
