package main

import (
	"cmp"
	"encoding"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// limitFlags bound what peers may use. There is no way to say "unlimited".
type limitFlags struct {
	MaxClientMessage  size   `help:"The largest message from a Client." default:"100MiB" env:"CDPHUB_MAX_CLIENT_MESSAGE" group:"Limits:"`
	MaxHostMessage    size   `help:"The largest message from a Host." default:"256MiB" env:"CDPHUB_MAX_HOST_MESSAGE" group:"Limits:"`
	MaxClientQueue    size   `help:"What may wait to be written to one Client." default:"32MiB" env:"CDPHUB_MAX_CLIENT_QUEUE" group:"Limits:"`
	MaxHostQueue      size   `help:"What may wait to be written to one Host." default:"64MiB" env:"CDPHUB_MAX_HOST_QUEUE" group:"Limits:"`
	MaxClientQueued   count  `help:"How many messages may wait likewise." default:"32768" env:"CDPHUB_MAX_CLIENT_QUEUED" group:"Limits:"`
	MaxHostQueued     count  `help:"How many messages may wait likewise." default:"1048576" env:"CDPHUB_MAX_HOST_QUEUED" group:"Limits:"`
	MaxConnections    count  `help:"Connections of one address to one listener, or of one /64 network; of a --trusted-proxy there may be any number. No more than a quarter of the files that the process may open." default:"4096" env:"CDPHUB_MAX_CONNECTIONS" group:"Limits:"`
	MaxClients        count  `help:"Clients of one hub." default:"1024" env:"CDPHUB_MAX_CLIENTS" group:"Limits:"`
	MaxClientSessions count  `help:"Sessions of one Client." default:"8192" env:"CDPHUB_MAX_CLIENT_SESSIONS" group:"Limits:"`
	MaxClientCalls    count  `help:"Commands of one Client without an answer." default:"4096" env:"CDPHUB_MAX_CLIENT_CALLS" group:"Limits:"`
	MaxCalls          count  `help:"Commands of all Clients of one hub without an answer." default:"65536" env:"CDPHUB_MAX_CALLS" group:"Limits:"`
	PingEvery         period `help:"How often a silent peer is asked whether it is there." default:"25s" env:"CDPHUB_PING_EVERY" group:"Limits:"`
	PongWithin        period `help:"How long it may then stay silent." default:"10s" env:"CDPHUB_PONG_WITHIN" group:"Limits:"`
	MessageTimeout    period `help:"How long one message may take to come in." default:"60s" env:"CDPHUB_MESSAGE_TIMEOUT" group:"Limits:"`
	WriteTimeout      period `help:"How long a peer may take nothing of what is written to it." default:"10s" env:"CDPHUB_WRITE_TIMEOUT" group:"Limits:"`
	HostGrace         period `help:"How long a Host whose connection was lost may take to come back to its targets and their sessions." default:"30s" env:"CDPHUB_HOST_GRACE" group:"Limits:"`
	MemoryBudget      size   `help:"What all queues and large messages may hold in all; past it the largest is cut first. By default 75% of the memory the process may use." env:"CDPHUB_MEMORY_BUDGET" placeholder:"SIZE" group:"Limits:"`
	Compression       bool   `help:"Compress large messages to Clients and Hosts that offer it (permessage-deflate)." env:"CDPHUB_COMPRESSION"`
}

// peerLimits are the limits that hold for a connection of either kind.
func (f limitFlags) peerLimits() wsconn.Limits {
	return wsconn.Limits{
		PingEvery:      time.Duration(f.PingEvery),
		PongWithin:     time.Duration(f.PongWithin),
		MessageTimeout: time.Duration(f.MessageTimeout),
		WriteTimeout:   time.Duration(f.WriteTimeout),
	}
}

func (f limitFlags) clientLimits() wsconn.Limits {
	l := f.peerLimits()
	l.MaxMessage, l.MaxPending, l.MaxQueued = int64(f.MaxClientMessage), int(f.MaxClientQueue), int(f.MaxClientQueued)
	return l
}

// actionLimits are those of an action API, whose messages are small but for
// screenshots.
func (f limitFlags) actionLimits() wsconn.Limits {
	l := f.clientLimits()
	l.MaxMessage = min(cmp.Or(l.MaxMessage, actions.MaxRequest), actions.MaxRequest)
	return l
}

func (f limitFlags) hostLimits() wsconn.Limits {
	l, page := f.peerLimits(), bridge.PageLimits()
	l.MaxMessage = cmp.Or(int64(f.MaxHostMessage), page.MaxMessage)
	l.MaxPending = cmp.Or(int(f.MaxHostQueue), page.MaxPending)
	l.MaxQueued = cmp.Or(int(f.MaxHostQueued), page.MaxQueued)
	return l
}

func (f limitFlags) hubLimits() relay.Limits {
	return relay.Limits{
		Clients:        int(f.MaxClients),
		ClientSessions: int(f.MaxClientSessions),
		ClientCalls:    int(f.MaxClientCalls),
		Calls:          int(f.MaxCalls),
	}
}

// budget is what connections may hold in all; nil where nobody knows how much
// memory there is.
func (f limitFlags) budget() *wsconn.Budget {
	n := cmp.Or(int64(f.MemoryBudget), usableMemory()/4*3)
	if n == 0 {
		return nil
	}
	return wsconn.NewBudget(n)
}

// usableMemory is how much memory the process may use, in bytes: the limit of
// its cgroup, else the machine's memory, or GOMEMLIMIT where that is lower; 0
// when it is unknown.
func usableMemory() int64 {
	soft := debug.SetMemoryLimit(-1) // the largest int64 without GOMEMLIMIT
	there, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	switch {
	case err == nil && there > 0 && there < uint64(soft):
		return int64(there)
	case soft < 1<<62:
		return soft
	}
	return 0
}

// size is a number of bytes above 0: 1000, 64KiB, 1.5GB.
type size int64

// count is a number above 0.
type count int

// period is a duration above 0.
type period time.Duration

var (
	_ encoding.TextUnmarshaler = (*size)(nil)
	_ encoding.TextUnmarshaler = (*count)(nil)
	_ encoding.TextUnmarshaler = (*period)(nil)
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *size) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n == 0 || n > 1<<50 {
		return fmt.Errorf("%q is no size: give bytes above 0, as 64MiB", text)
	}
	*s = size(n)
	return nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *count) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n <= 0 {
		return fmt.Errorf("%q is no number above 0", text)
	}
	*c = count(n)
	return nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *period) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is no time above 0: give it as 30s or 500ms", text)
	}
	*p = period(d)
	return nil
}
