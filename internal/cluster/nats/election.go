package natsdir

import (
	"time"
	_ "unsafe" // for go:linkname
)

// A server that dies says nothing. The others elect leaders for its records 4 to 9 s after
// its last heartbeat, and until then no hub of these records can be claimed. nats-server has
// no option for that: its times are variables of the package server (2.15.2, raft.go), which
// its own tests shorten. etcd's defaults are a heartbeat of 100 ms and elections after 1 s.

//go:linkname hbInterval github.com/nats-io/nats-server/v2/server.hbInterval
var hbInterval time.Duration

//go:linkname minElectionTimeout github.com/nats-io/nats-server/v2/server.minElectionTimeout
var minElectionTimeout time.Duration

//go:linkname maxElectionTimeout github.com/nats-io/nats-server/v2/server.maxElectionTimeout
var maxElectionTimeout time.Duration

//go:linkname lostQuorumInterval github.com/nats-io/nats-server/v2/server.lostQuorumInterval
var lostQuorumInterval time.Duration

//go:linkname lostQuorumCheck github.com/nats-io/nats-server/v2/server.lostQuorumCheck
var lostQuorumCheck time.Duration

// sooner is by what all of them are divided, so that an election is over in 2 s even if the
// first vote has no majority. A leader that is alone must go on knowing of it in time, before
// it answers reads for long beside the next one.
const sooner = 8

// init changes the times before any server of the process starts.
func init() {
	for _, t := range raftTimes() {
		*t /= sooner
	}
}

// raftTimes are the variables. A test looks whether the server still has them.
func raftTimes() []*time.Duration {
	return []*time.Duration{&hbInterval, &minElectionTimeout, &maxElectionTimeout, &lostQuorumInterval, &lostQuorumCheck}
}
