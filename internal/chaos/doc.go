// Package chaos holds tests that do to a hub, run as a program, whatever can
// go wrong, and prove with books of their own that nothing is lost, doubled or
// crossed. The Hosts and Clients in it speak WebSocket by themselves: they
// share no code with the hub that they judge.
//
//	go test ./internal/chaos                                  each fault alone, then all at random for 5 s
//	go test ./internal/chaos -run RandomFaults -duration=1h   the random ones for longer
//	go test ./internal/chaos -run RandomFaults -seed=N        the same faults again
package chaos
