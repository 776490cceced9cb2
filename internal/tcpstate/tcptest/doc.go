// Package tcptest makes TCP connections fail as they do when a machine, or the way to it, is gone.
// Its tools are those of Linux.
package tcptest
