// Package chaos has tests that cause all kinds of faults around a hub that runs as a
// program. They keep their own record of all messages, and prove with it that none is
// lost, doubled or sent to somebody else. The Hosts and Clients in them implement
// WebSocket on their own: they share no code with the hub that they test.
//
//	go test ./internal/chaos                                  each fault alone, then all at random for 5 s
//	go test ./internal/chaos -run RandomFaults -duration=1h   the random ones for longer
//	go test ./internal/chaos -run RandomFaults -seed=N        the same faults again
package chaos
