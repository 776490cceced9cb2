package browsertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// clearTimeout is how long clearing may take. A page can refuse to close, with a
// beforeunload dialog: its browser is ended instead.
const clearTimeout = 10 * time.Second

// readEndpoint reads where a browser listens: Chromium writes its port and the path
// of its WebSocket into this file.
func readEndpoint(file string) (string, error) {
	text, err := os.ReadFile(file) //nolint:gosec // in a folder that was made here
	if err != nil {
		return "", err
	}
	port, path, ok := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if !ok {
		return "", fmt.Errorf("%s has no path yet", file)
	}
	return "ws://127.0.0.1:" + port + path, nil
}

// ask sends a command and reads its result, which may be nil.
type ask func(method, params string, result any) error

// clear closes all pages and contexts, and removes cookies and permissions.
func (b *browser) clear() error { return b.command(clearBy) }

// command connects to a browser and sends the commands of do.
func (b *browser) command(do func(ask) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), clearTimeout)
	defer cancel()
	url, err := readEndpoint(filepath.Join(b.profile, "DevToolsActivePort"))
	if err != nil {
		return err
	}
	conn, err := wsconn.Dial(ctx, url, nil, wsconn.Limits{})
	if err != nil {
		return err
	}
	answers := make(chan []byte, 1) // one command at a time, and no events
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// The message belongs to Serve again when the handler returns, hence the
		// copy.
		conn.Serve(context.Background(), func(m []byte) { answers <- append([]byte(nil), m...) })
	}()
	defer func() {
		conn.Close(wsconn.ReasonNormal)
		<-ended
	}()
	return do(func(method, params string, result any) error {
		conn.Deliver(wire.Frame{Head: fmt.Appendf(nil, `{"id":1,"method":%q,"params":%s}`, method, params)})
		var answer struct{ Result, Error json.RawMessage }
		select {
		case m := <-answers:
			if err := json.Unmarshal(m, &answer); err != nil {
				return err
			}
		case <-ended:
			return errors.New("the connection has ended")
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", method, ctx.Err())
		}
		if answer.Error != nil {
			return fmt.Errorf("%s: %s", method, answer.Error)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(answer.Result, result)
	})
}

// clearBy clears a browser by commands.
func clearBy(ask ask) error {
	var blank struct{ TargetID string }
	// The new page is opened first, so that the browser is never without one.
	err := errors.Join(
		ask("Target.createTarget", `{"url":"about:blank"}`, &blank),
		ask("Storage.clearCookies", `{}`, nil),
		ask("Browser.resetPermissions", `{}`, nil),
	)
	for ; err == nil; time.Sleep(5 * time.Millisecond) { // until all others have gone
		var contexts struct{ BrowserContextIDs []string }
		var pages struct{ TargetInfos []struct{ TargetID string } }
		err = errors.Join(
			ask("Target.getBrowserContexts", `{}`, &contexts),
			ask("Target.getTargets", `{"filter":[{"type":"page"}]}`, &pages),
		)
		if err == nil && len(contexts.BrowserContextIDs) == 0 && len(pages.TargetInfos) == 1 {
			return nil
		}
		for _, id := range contexts.BrowserContextIDs {
			_ = ask("Target.disposeBrowserContext", fmt.Sprintf(`{"browserContextId":%q}`, id), nil) // it may have gone
		}
		for _, t := range pages.TargetInfos {
			if t.TargetID != blank.TargetID {
				_ = ask("Target.closeTarget", fmt.Sprintf(`{"targetId":%q}`, t.TargetID), nil) // as may this
			}
		}
	}
	return err
}
