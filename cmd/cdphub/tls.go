package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"
)

// tlsFlags make all listeners speak TLS.
type tlsFlags struct {
	TLSCert string `help:"Speak TLS on every listener, with this certificate and what leads to its root, in PEM. Read anew when the file changes, and at SIGHUP." name:"tls-cert" placeholder:"FILE" env:"CDPHUB_TLS_CERT"`
	TLSKey  string `help:"The private key of --tls-cert, in PEM." name:"tls-key" placeholder:"FILE" env:"CDPHUB_TLS_KEY"`
	TLSMin  string `help:"The oldest version of TLS that is spoken: 1.2 or 1.3." name:"tls-min" enum:"1.2,1.3" default:"1.3" env:"CDPHUB_TLS_MIN"`
}

// secure returns what makes a listener speak TLS; without a certificate it
// leaves listeners as they are.
func (f tlsFlags) secure(s *server) (func(net.Listener) net.Listener, error) {
	if f.TLSCert == "" && f.TLSKey == "" {
		return func(ln net.Listener) net.Listener { return ln }, nil
	}
	if f.TLSCert == "" || f.TLSKey == "" {
		return nil, errors.New("TLS needs both a certificate and its key: set --tls-cert and --tls-key")
	}
	k := &keyPair{certFile: f.TLSCert, keyFile: f.TLSKey, log: s.log}
	if err := k.load(); err != nil {
		return nil, err
	}
	s.reloads.add("TLS certificate", k.load)
	config := &tls.Config{
		GetCertificate: k.get,
		NextProtos:     []string{"http/1.1"},
		MinVersion:     tls.VersionTLS13,
	}
	if f.TLSMin == "1.2" {
		config.MinVersion = tls.VersionTLS12
	}
	return func(ln net.Listener) net.Listener {
		if c, is := ln.(*crowd); is {
			c.silent = true
		}
		return tls.NewListener(ln, config)
	}, nil
}

// lookEvery is how often the files of a keyPair are looked at.
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

// stamp tells one state of a file from another.
type stamp struct {
	changed time.Time
	size    int64
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

// get is for tls.Config. The files are looked at when somebody connects.
func (k *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := time.Now(); now.Sub(k.looked) >= lookEvery {
		k.looked = now
		k.followLocked()
	}
	return k.loaded, nil
}

// followLocked loads the files if they have changed.
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
