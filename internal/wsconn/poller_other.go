//go:build !linux

package wsconn

import "time"

// Lot is where connections would wait without a goroutine: there is none on
// this system.
type Lot struct{ after time.Duration }

// NewLot returns nil: connections keep their goroutines.
func NewLot(time.Duration) *Lot { return nil }

// Close does nothing.
func (*Lot) Close() {}

func (*Lot) enter(*Conn) bool { return false }

func (*Lot) leave(*Conn) {}
