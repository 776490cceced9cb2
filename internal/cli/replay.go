package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/internal/journal"
	"github.com/cdphub/cdphub/internal/journal/export"
	"github.com/cdphub/cdphub/internal/journal/replay"
)

// replayCmd shows a recording, or exports it.
type replayCmd struct {
	File           string `arg:"" help:"Recording: a file that ends in .ndjson.zst, in the folder of --record." type:"existingfile"`
	Addr           string `help:"Address to serve the recording on. It must be on loopback." default:"127.0.0.1:9224"`
	Har            string `help:"Write the requests as a HAR file instead. It has bodies only if --record-text was set." placeholder:"OUT.har"`
	Playwright     string `help:"Write what Clients did as a Playwright test instead." placeholder:"OUT.spec.ts"`
	ChromeRecorder string `help:"Write what Clients did as a file for the Recorder of Chrome's DevTools instead." placeholder:"OUT.json"`
	Video          string `help:"Write the pictures as a video instead. It needs ffmpeg." placeholder:"OUT.webm"`
}

// Run shows the recording until ctx ends, or writes the files.
func (c replayCmd) Run(ctx context.Context, s streams) error {
	if err := c.checkOutputs(); err != nil {
		return err
	}
	r, err := journal.Open(c.File)
	if err != nil {
		return err
	}
	if r.Cut != "" {
		fmt.Fprintf(s.err, "The end of the recording is missing: %s\n", r.Cut)
	}
	if c.exports() {
		return c.export(ctx, r, s.out)
	}
	return c.serve(ctx, r, s.out)
}

// checkOutputs refuses to write over the recording, or twice to one file.
func (c replayCmd) checkOutputs() error {
	recording, err := os.Stat(c.File)
	if err != nil {
		return err
	}
	written := map[string]string{} // options, by file
	for _, to := range []struct{ option, name string }{{"--har", c.Har}, {"--playwright", c.Playwright}, {"--chrome-recorder", c.ChromeRecorder}, {"--video", c.Video}} {
		if to.name == "" {
			continue
		}
		if there, err := os.Stat(to.name); err == nil && os.SameFile(there, recording) {
			return fmt.Errorf("%s %s is the recording itself, which would be lost: name another file", to.option, to.name)
		}
		name := filepath.Clean(to.name)
		if other := written[name]; other != "" {
			return fmt.Errorf("%s and %s name the same file %s: name another one", other, to.option, to.name)
		}
		written[name] = to.option
	}
	return nil
}

func (c replayCmd) exports() bool { return c.Har+c.Playwright+c.ChromeRecorder+c.Video != "" }

func (c replayCmd) export(ctx context.Context, r *journal.Recording, out io.Writer) error {
	for _, to := range []struct {
		name  string
		write func(io.Writer, *journal.Recording) error
	}{{c.Har, export.HAR}, {c.Playwright, export.Playwright}, {c.ChromeRecorder, export.ChromeRecorder}} {
		if to.name == "" {
			continue
		}
		if err := writeFile(to.name, r, to.write); err != nil {
			return err
		}
		fmt.Fprintln(out, "Wrote", to.name)
	}
	if c.Video == "" {
		return nil
	}
	if err := export.Video(ctx, c.Video, r); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "Wrote", c.Video)
	return err
}

// writeFile writes a file that only this user can read, as the recording is.
func writeFile(name string, r *journal.Recording, write func(io.Writer, *journal.Recording) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(write(file, r), file.Close())
}

func (c replayCmd) serve(ctx context.Context, r *journal.Recording, out io.Writer) error {
	if !isLoopback(c.Addr) {
		return fmt.Errorf("--addr %s is not on loopback: everybody could see the recording; use 127.0.0.1 and a port", c.Addr)
	}
	ln, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("%w: set another port with --addr", err)
	}
	handler, key, err := replay.Handler(r)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	fmt.Fprintf(out, "The recording is at http://%s/#token=%s\n\nCtrl+C ends it.\n", ln.Addr(), key)
	server := httpserver.New(handler, httpserver.OwnRate, zap.NewNop())
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(ln); ctx.Err() == nil {
		return err
	}
	return nil
}
