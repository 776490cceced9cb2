// Package chrome is a Host that is a real Chromium, which the hub launches or
// connects to, spoken to over CDP.
//
//	product, err := chrome.Try(ctx, chrome.Options{})       // which browser is there?
//	err = chrome.Serve(ctx, chrome.Options{}, hub)          // until the browser ends
//	err = chrome.Run(ctx, chrome.Options{}, hub, func() {}) // and again, until ctx ends
//
// A Host page needs none of this: package bridge has it.
package chrome

import (
	"cmp"
	"context"
	"errors"
	"net"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/fence"
	"github.com/cdphub/cdphub/internal/urlpolicy"
	"github.com/cdphub/cdphub/internal/wire"
)

// Options says which browser, and how it is run. The zero value launches a
// headless one that is found on this machine, with a profile of its own.
type Options struct {
	// URL is of a browser that runs already: http://127.0.0.1:9222,
	// ws://127.0.0.1:9222/devtools/browser/ID, the folder of its profile, or Own.
	// No browser is launched then. Of the fields below, only Log, Network, Fence, MaxDownload and Shared have an effect,
	// and with Own also Profile and Waiting.
	URL string
	// Waiting, if set, is called with ErrSwitchedOff or ErrAsks while a connection to Own
	// waits for its user. It must not block.
	Waiting func(why error)

	Path      string      // of the executable; found when empty
	Profile   string      // a folder that is kept; a fresh one, removed at the end, when empty
	Headed    bool        // with windows, which need a display
	NoSandbox bool        // Chromium run by root requires it; pages are then less confined
	Args      []string    // further arguments, and the first page if not about:blank; the last of contradicting arguments counts
	Log       *zap.Logger // nothing is logged when nil

	// Network says where the documents of its pages may come from. Nothing is
	// judged when nil.
	Network *urlpolicy.Policy

	// Fence keeps its pages away from the listeners of this process. nil keeps
	// nothing away.
	Fence Fence

	// Isolate has every request of the browser go through this process, which
	// holds it to Network. The browser must be one that is launched, and Args
	// must name no proxy.
	Isolate bool
	egress  string // then, the address of the proxy

	limit int // of a message from the browser, in bytes; maxMessage when 0, as always but in tests

	// MaxDownload is how many bytes the downloads that are under way may have together, beside those
	// that go to the folders of Clients that may name files; 0 is no limit.
	MaxDownload int64

	// Shared lets every Client see and use the browser contexts that the
	// others have created. Else they are private, and end with their Client.
	Shared bool
}

// Fence knows what this process listens at, and which browsers it has started.
type Fence interface {
	// Listens notes a listener, until closed is called.
	Listens(at net.Addr) (closed func())
	// Ports are those of all listeners.
	Ports() []uint16
	// Started notes the process group of a browser, until gone is called.
	Started(group int) (gone func())
}

// fence is Fence, or one that does nothing.
func (o *Options) fence() Fence {
	if o.Fence == nil {
		return (*fence.Fence)(nil)
	}
	return o.Fence
}

// logger is where to log to.
func (o *Options) logger() *zap.Logger {
	if o.Log == nil {
		return zap.NewNop()
	}
	return o.Log.Named("chrome")
}

// maxMessage bounds one message from a browser, in bytes. The largest that Clients need is a
// response body of 100 MiB in base64, 140 MB; screenshots and PDF are smaller. Clients take
// at most 256 MiB themselves (Playwright and Puppeteer, maxPayload of their WebSockets), and
// the hub has each message in memory twice for a moment.
const maxMessage = 160 << 20

var (
	// errClosed is why a connection ended that was closed at this end.
	errClosed = errors.New("the connection to the browser was closed")
	errNUL    = wire.InvalidParams("The command contains a NUL byte")
)

// conn is one CDP connection to a browser: a pipe or a WebSocket. Its methods but for Serve
// are safe for concurrent use and never block. Serve must be called once, even after
// Close. A nil lane is the Host's own.
type conn interface {
	// Offer queues one message of a Client. When it is not taken, an *wire.Error is the
	// answer to the Client. No part of the frame is kept.
	Offer(*lane, wire.Frame) error

	// OfferOwn queues one message of the Host's own, behind what a Client has queued if
	// the lane is that Client's. It does not count against what the Client may queue, and
	// fails only when the connection ends or the browser takes nothing.
	OfferOwn(*lane, wire.Frame) error

	// Join has a lane share the turns and the part of all lanes with the same name of an
	// account, from before its first message until it leaves. One without a name has its own.
	Join(l *lane, account string)
	Leave(*lane)

	// Hold counts bytes that a Client has queued elsewhere; less than 0 gives them back.
	Hold(*lane, int) error

	// Handled says that the browser has handled the last heavy message: see outbox.
	Handled()

	// Serve hands each message to the receiver, whose bytes are good until it
	// returns, until the connection ends, and returns why. A browser that was
	// launched has gone by then, with its folder.
	Serve(receiver) error

	// Close ends the connection; a browser that was launched ends with it, and
	// has gone, with its folder, when Close returns: at once, or in 5 s at most
	// with a profile that is kept. Further calls do nothing.
	Close()
}

// receiver takes what a browser sends.
type receiver struct {
	receive    func(message []byte)
	receiveCut func(*wire.Cut) // of a message above maxMessage
}

// openBrowser connects to the browser that the options name, or else launches one.
// The context bounds the opening, not the life of the connection.
func openBrowser(ctx context.Context, o Options) (conn, error) {
	switch o.URL {
	case "":
	case Own:
		return connectOwn(ctx, &o, cmp.Or(o.limit, maxMessage))
	default:
		return connectBrowser(ctx, o.URL, cmp.Or(o.limit, maxMessage))
	}
	if !o.Isolate {
		return launchBrowser(o)
	}
	return launchIsolated(o)
}
