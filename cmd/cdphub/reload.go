package main

import (
	"os"
	"os/signal"
	"sync"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"
)

// reloads are what is read anew at a SIGHUP.
type reloads struct {
	mu   sync.Mutex // guards everything below, and lets one reload run at a time
	list []reload
}

type reload struct {
	what string
	do   func() error
}

// add has a function called at each reload, in the order of the calls to add.
// A function that fails leaves things as they were.
func (r *reloads) add(what string, do func() error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, reload{what, do})
}

// all reloads everything there is, and logs how that went.
func (r *reloads) all(log *zap.Logger) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.list {
		if err := one.do(); err != nil {
			log.Error("reload failed: what was loaded before stays in use", zap.String("what", one.what), zap.Error(err))
			continue
		}
		log.Info("reloaded", zap.String("what", one.what))
	}
}

// on reloads everything each time that the signal comes, until the function
// that it returns is called.
func (r *reloads) on(sig os.Signal, log *zap.Logger) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, sig)
	var ended sync.WaitGroup
	ended.Go(func() {
		for range signals {
			notify(log, daemon.SdNotifyReloading+"\n"+daemon.SdNotifyMonotonicUsec())
			r.all(log)
			notify(log, daemon.SdNotifyReady)
		}
	})
	return func() {
		signal.Stop(signals)
		close(signals)
		ended.Wait()
	}
}
