package chrome

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// tryWithin is how long a browser may take to come up and to answer.
const tryWithin = 30 * time.Second

// Try finds out whether the browser that the options name can be had, and which
// it is: "Chrome/156.0.1.2". It starts the browser with a profile of its own and
// ends it, or connects to the one that runs already. The error says what to do.
func Try(ctx context.Context, o Options) (product string, err error) {
	if err := o.Check(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	o.Profile = ""
	c, err := openBrowser(ctx, o)
	if err != nil {
		return "", err
	}
	answers := make(chan string, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- c.Serve(receiver{receive: func(message []byte) {
			var m struct {
				ID     int
				Result struct{ Product string }
			}
			if wire.Decode(message, &m) == nil && m.ID == 1 {
				answers <- m.Result.Product
			}
		}, receiveCut: func(*wire.Cut) {}})
	}()
	//nolint:errcheck // where it fails, Serve ends
	c.OfferOwn(nil, wire.Frame{Head: []byte(`{"id":1,"method":"Browser.getVersion"}`)})
	select {
	case product = <-answers:
	case err := <-ended:
		return "", err
	case <-ctx.Done():
		err = ctx.Err()
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("the browser has not answered within %v: is the machine overloaded?", tryWithin)
		}
	}
	c.Close()
	<-ended //nolint:errcheck // it has been closed
	return product, err
}
