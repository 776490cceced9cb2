package page

import (
	"context"
	"sync"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// StartStandby is Start for a Host that does not replace another Host page. The
// hub sends {"kind":"standby","free":false} while another one is connected, and
// {"kind":"standby","free":true} when the Host may send its ready. If another Host
// was faster, the connection ends with wsconn.ReasonReplaced. A ready that comes before
// {"free":true} is served all the same: SetHost then fails with ErrTaken if another Host
// has the hub.
func StartStandby(ctx context.Context, conn *wsconn.Conn, hub bridge.Standby, log *zap.Logger, g Guard, ended func(wsconn.Reason)) {
	p := newHost(conn, yielding{hub}, log)
	owes := p.ready
	owes.Stop() // none before the hub is free
	ctx, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if !hub.Free() {
			p.tellFree(false)
		}
		if hub.AwaitFree(ctx) == nil {
			owes.Reset(readyTimeout)
			p.tellFree(true)
		}
	})
	p.start(ctx, g, func(why wsconn.Reason) {
		cancel()
		waiting.Wait()
		ended(why)
	})
}

// tellFree sends the Host its state.
func (p *Host) tellFree(free bool) {
	body := `{"kind":"standby","free":false}`
	if free {
		body = `{"kind":"standby","free":true}`
	}
	p.conn.Deliver(wire.Frame{Body: []byte(body)})
}

// yielding is a hub as a Host sees it that replaces no other.
type yielding struct{ bridge.Hub }

// SetHost implements Hub.
func (y yielding) SetHost(h bridge.Host, a bridge.Announcement) (bridge.Events, error) {
	a.Yields = true
	return y.Hub.SetHost(h, a)
}
