package cli

import (
	"encoding"
	"fmt"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/cdphub/cdphub/server"
)

// limitFlags bound what peers may use. There is no way to say "unlimited".
type limitFlags struct {
	MaxClientMessage  byteSize         `help:"Largest message from a Client." default:"100MiB" env:"CDPHUB_MAX_CLIENT_MESSAGE" group:"Limits:"`
	MaxHostMessage    byteSize         `help:"Largest message from a Host." default:"256MiB" env:"CDPHUB_MAX_HOST_MESSAGE" group:"Limits:"`
	MaxClientQueue    byteSize         `help:"Maximum bytes that wait to be written to one Client. A Client for which more waits is disconnected (1013), however slowly it reads otherwise." default:"32MiB" env:"CDPHUB_MAX_CLIENT_QUEUE" group:"Limits:"`
	MaxHostQueue      byteSize         `help:"Maximum bytes that wait to be written to one Host." default:"64MiB" env:"CDPHUB_MAX_HOST_QUEUE" group:"Limits:"`
	MaxClientQueued   positiveInt      `help:"Maximum messages that wait to be written to one Client." default:"32768" env:"CDPHUB_MAX_CLIENT_QUEUED" group:"Limits:"`
	MaxHostQueued     positiveInt      `help:"Maximum messages that wait to be written to one Host." default:"1048576" env:"CDPHUB_MAX_HOST_QUEUED" group:"Limits:"`
	MaxConnections    positiveInt      `help:"Maximum connections from one IP address, or one /64 network of IPv6, to one listener. The limit does not apply to a --trusted-proxy. It is never above a quarter of the files that the process may open." default:"4096" env:"CDPHUB_MAX_CONNECTIONS" group:"Limits:"`
	MaxClients        positiveInt      `help:"Maximum Clients of one hub." default:"1024" env:"CDPHUB_MAX_CLIENTS" group:"Limits:"`
	MaxSessions       positiveInt      `help:"Maximum sessions of all Clients of one hub." default:"65536" env:"CDPHUB_MAX_SESSIONS" group:"Limits:"`
	MaxClientSessions positiveInt      `help:"Maximum sessions of one Client." default:"8192" env:"CDPHUB_MAX_CLIENT_SESSIONS" group:"Limits:"`
	MaxClientCalls    positiveInt      `help:"Maximum commands of one Client that wait for an answer." default:"4096" env:"CDPHUB_MAX_CLIENT_CALLS" group:"Limits:"`
	MaxCalls          positiveInt      `help:"Maximum commands of all Clients of one hub that wait for an answer." default:"65536" env:"CDPHUB_MAX_CALLS" group:"Limits:"`
	MaxLinks          positiveInt      `help:"Maximum connections of cdphub connect with one token; without tokens, from one address." default:"256" env:"CDPHUB_MAX_LINKS" group:"Limits:"`
	PingEvery         positiveDuration `help:"Time without a message after which the hub sends a ping to a peer." default:"25s" env:"CDPHUB_PING_EVERY" group:"Limits:"`
	PongWithin        positiveDuration `help:"Time that a Host has to answer a ping before it is disconnected. Of a Client, only the system must acknowledge what is sent." default:"10s" env:"CDPHUB_PONG_WITHIN" group:"Limits:"`
	MessageTimeout    positiveDuration `help:"Time that one message of a Host may take to arrive. Messages of Clients may take any time." default:"60s" env:"CDPHUB_MESSAGE_TIMEOUT" group:"Limits:"`
	WriteTimeout      positiveDuration `help:"Time after which a Host that reads nothing is disconnected. For Clients, only --max-client-queue counts." default:"10s" env:"CDPHUB_WRITE_TIMEOUT" group:"Limits:"`
	LinkGrace         positiveDuration `help:"Time for which the hub keeps a lost link of cdphub connect, so that it can come back." default:"2m" env:"CDPHUB_LINK_GRACE" group:"Limits:"`
	HostGrace         positiveDuration `help:"Time for which the hub keeps the targets and sessions of a Host whose connection was lost, so that the Host can come back." default:"30s" env:"CDPHUB_HOST_GRACE" group:"Limits:"`
	NamedGrace        positiveDuration `name:"session-grace" help:"Longest time that a named session (?session=NAME) stays without a connection. A Client may ask for less." default:"30m" env:"CDPHUB_SESSION_GRACE" group:"Limits:"`
	MaxNamed          positiveInt      `name:"max-named-sessions" help:"Maximum named sessions of one token at one hub." default:"16" env:"CDPHUB_MAX_NAMED_SESSIONS" group:"Limits:"`
	NamedMemory       byteSize         `name:"session-memory" help:"Maximum bytes of messages that one named session keeps for a Client that resumes it. All named sessions together keep at most an eighth of --memory-budget." default:"8MiB" env:"CDPHUB_SESSION_MEMORY" group:"Limits:"`
	DownloadAge       positiveDuration `help:"Time for which the hub keeps a downloaded file for the token that has asked for it (GET /downloads), also without a connection." default:"1h" env:"CDPHUB_DOWNLOAD_AGE" group:"Limits:"`
	DownloadSize      byteSize         `help:"Maximum bytes of all downloaded files that the hub keeps, and of those that one browser downloads at a time for Clients that may not name folders. Above it, the token that has most loses its oldest files." default:"1GiB" env:"CDPHUB_DOWNLOAD_SIZE" group:"Limits:"`
	MaxDownloads      positiveInt      `help:"Maximum downloaded files that the hub keeps for one token at one hub. The oldest are removed first." default:"100" env:"CDPHUB_MAX_DOWNLOADS" group:"Limits:"`
	MemoryBudget      byteSize         `help:"Maximum memory of all queues and large messages together. Above it, the hub first disconnects the largest connection of the token that uses most. Default: 75% of the memory that the process may use." env:"CDPHUB_MEMORY_BUDGET" placeholder:"SIZE" group:"Limits:"`
	Compression       bool             `help:"Compress large messages to Clients and Hosts that offer it (permessage-deflate)." env:"CDPHUB_COMPRESSION"`
}

func (f limitFlags) options() server.Limits {
	return server.Limits{
		MaxClientMessage: int64(f.MaxClientMessage), MaxHostMessage: int64(f.MaxHostMessage),
		MaxClientQueue: int64(f.MaxClientQueue), MaxHostQueue: int64(f.MaxHostQueue),
		MaxClientQueued: int(f.MaxClientQueued), MaxHostQueued: int(f.MaxHostQueued),
		MaxConnections: int(f.MaxConnections), MaxClients: int(f.MaxClients), MaxLinks: int(f.MaxLinks), LinkGrace: time.Duration(f.LinkGrace),
		MaxSessions: int(f.MaxSessions), MaxClientSessions: int(f.MaxClientSessions), MaxClientCalls: int(f.MaxClientCalls), MaxCalls: int(f.MaxCalls),
		PingEvery: time.Duration(f.PingEvery), PongWithin: time.Duration(f.PongWithin),
		MessageTimeout: time.Duration(f.MessageTimeout), WriteTimeout: time.Duration(f.WriteTimeout), HostGrace: time.Duration(f.HostGrace),
		NamedGrace: time.Duration(f.NamedGrace), MaxNamed: int(f.MaxNamed), NamedMemory: int64(f.NamedMemory),
		DownloadAge: time.Duration(f.DownloadAge), DownloadSize: int64(f.DownloadSize), MaxDownloads: int(f.MaxDownloads),
		MemoryBudget: int64(f.MemoryBudget), Compression: f.Compression,
	}
}

// byteSize is a number of bytes above 0: 1000, 64KiB, 1.5GB.
type byteSize int64

// positiveInt is a number above 0.
type positiveInt int

// positiveDuration is a duration above 0.
type positiveDuration time.Duration

var (
	_ encoding.TextUnmarshaler = (*byteSize)(nil)
	_ encoding.TextUnmarshaler = (*positiveInt)(nil)
	_ encoding.TextUnmarshaler = (*positiveDuration)(nil)
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *byteSize) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	// 2^50 bytes are more than any machine has, and fit into an int64.
	if err != nil || n == 0 || n > 1<<50 {
		return fmt.Errorf("%q is not a size: set bytes above 0, such as 64MiB", text)
	}
	*s = byteSize(n)
	return nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *positiveInt) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n <= 0 {
		return fmt.Errorf("%q is not a number above 0", text)
	}
	*c = positiveInt(n)
	return nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *positiveDuration) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is not a duration above 0: set it as 30s or 500ms", text)
	}
	*p = positiveDuration(d)
	return nil
}
