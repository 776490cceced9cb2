package server

import (
	"context"
	"sync"

	"go.uber.org/zap"
)

// file is one thing that Reload reads again. A read that fails leaves things
// as they were.
type file struct {
	what string
	read func() error
}

// Reload reads the tokens and the certificate again, as a SIGHUP asks of a daemon. It
// returns at once; the log says how it went. Calls while one waits are one reload.
func (s *Server) Reload() {
	select {
	case s.reload <- struct{}{}:
	default: // one is to come
	}
}

// reloadWhenAsked reads the files again after each call of Reload, until ctx ends.
func (s *Server) reloadWhenAsked(ctx context.Context) {
	for {
		select {
		case <-s.reload:
			s.o.OnState(Reloading)
			s.readFiles()
			s.o.OnState(Ready)
		case <-ctx.Done():
			return
		}
	}
}

// readFiles reads all files again.
func (s *Server) readFiles() {
	for _, f := range s.files {
		if err := f.read(); err != nil {
			s.log.Error("reload failed: what was loaded before stays in use", zap.String("what", f.what), zap.Error(err))
			continue
		}
		s.log.Info("reloaded", zap.String("what", f.what))
	}
}

// readTokens has the goroutine of followTokens read the files of tokens, and waits for it. That
// goroutine alone reads them, so that two reads never overlap. It outlives reloadWhenAsked.
func (s *Server) readTokens() error {
	read := make(chan error, 1)
	s.tokensChanged <- read
	return <-read
}

// followTokens follows the files of tokens until ctx ends.
func (s *Server) followTokens(ctx context.Context) {
	if s.tokens.Set() {
		s.tokens.Watch(ctx, s.tokensChanged)
	}
}

// runBeside runs functions until stop is called, which ends their context and waits for them.
func runBeside(run ...func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	for _, f := range run {
		done.Go(func() { f(ctx) })
	}
	return func() {
		cancel()
		done.Wait()
	}
}
