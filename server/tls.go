package server

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"
)

// lookEvery is how often a keyPair looks at its files, at most: once for many
// handshakes.
const lookEvery = time.Second

// keyPair is a certificate and its key, from files that may change.
type keyPair struct {
	certFile, keyFile string // static
	log               *zap.Logger

	mu     sync.Mutex // guards everything below
	loaded *tls.Certificate
	stamps [2]stamp  // of the files that were loaded
	looked time.Time // when the files were last looked at
}

// stamp is the state of a file. Two states differ in time or size unless the file was
// written twice within the resolution of its time.
type stamp struct {
	changed time.Time
	size    int64 `stays:"configuration"`
}

// load reads the files. An error leaves the pair as it was.
func (k *keyPair) load() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.loadLocked()
}

func (k *keyPair) loadLocked() error {
	stamps, err := k.stampsOf() // before they are read: a later change is seen
	if err != nil {
		return fmt.Errorf("TLS certificate: %w", err)
	}
	pair, err := tls.LoadX509KeyPair(k.certFile, k.keyFile)
	if err != nil {
		return fmt.Errorf("TLS certificate: %w", err)
	}
	k.loaded, k.stamps = &pair, stamps
	return nil
}

// get is for tls.Config.GetCertificate. It looks at the files when somebody connects:
// renewals need no signal and no watcher. After an error the old certificate stays in
// use.
func (k *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := time.Now(); now.Sub(k.looked) >= lookEvery {
		k.looked = now
		k.followLocked()
	}
	return k.loaded, nil
}

// followLocked loads the files if they have changed. A certificate and a key that do
// not belong together yet, since only one is written, are an error: the next look
// tries again.
func (k *keyPair) followLocked() {
	stamps, err := k.stampsOf()
	if err == nil && stamps == k.stamps {
		return
	}
	if err == nil {
		err = k.loadLocked()
	}
	if err != nil {
		k.log.Error("the TLS certificate has changed and cannot be loaded: the old one stays in use", zap.Error(err))
		return
	}
	k.log.Info("the TLS certificate has changed and is in use")
}

func (k *keyPair) stampsOf() (stamps [2]stamp, err error) {
	for i, file := range []string{k.certFile, k.keyFile} {
		info, err := os.Stat(file)
		if err != nil {
			return stamps, err
		}
		stamps[i] = stamp{info.ModTime(), info.Size()}
	}
	return stamps, nil
}
