package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/server"
)

// port finds out whether an address can be listened on. If not, it asks whether a hub
// is there already.
func (c *doctorCmd) port(ctx context.Context, option, addr string) finding {
	what := "address"
	listen := func() (net.Listener, error) { return net.Listen("tcp", addr) }
	if path, unix := httpserver.UnixPath(addr); unix {
		what = "path"
		listen = func() (net.Listener, error) { return httpserver.ListenUnix(path) }
	}
	ln, err := listen()
	if err == nil {
		ln.Close()
		return finding{Check: "port", State: fine, Found: addr + " is free (" + option + ")"}
	}
	if c.isServedByHub(ctx, option, addr) {
		return finding{"port", warning, addr + " is in use by a hub (" + option + ")", "use that hub, or stop it before you start another one"}
	}
	return finding{"port", failing, fmt.Sprintf("%s cannot be listened on (%s): %v", addr, option, err), "stop the program that uses it, or choose another " + what + " with " + option}
}

// isServedByHub asks whoever listens at an address, as cdphub health does.
func (c *doctorCmd) isServedByHub(ctx context.Context, option, addr string) bool {
	ask := healthCmd{ClientAddr: addr, TLSCert: c.TLSCert}
	if option == "--admin-addr" {
		ask.AdminAddr, ask.Live = addr, true
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req, client, err := ask.request(ctx)
	if err != nil {
		return false
	}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return isHub(resp)
}

// checkTokens reads the sources of tokens. hosts says that Hosts must connect, since there
// is no browser.
func checkTokens(t server.Tokens, hosts bool) []finding {
	const check = "tokens"
	read, err := auth.NewTokens(auth.TokenOptions{Client: t.Client, Host: t.Host, Admin: t.Admin, File: t.File, Keys: t.JWTKeys, Log: zap.NewNop()})
	switch {
	case err != nil:
		return []finding{{check, failing, err.Error(), "correct the file or the option: the hub does not start with it"}}
	case !read.Set():
		return []finding{{Check: check, State: fine, Found: "none: every program of this machine may drive, and no other machine can connect"}}
	}
	all := []finding{{Check: check, State: fine, Found: "can be read"}}
	for _, role := range []auth.Role{auth.RoleClient, auth.RoleHost} {
		if !read.Covers(role) && (hosts || role != auth.RoleHost) {
			all = append(all, finding{check, warning, fmt.Sprintf("there is no token with role %s: no %s can connect", role, role), fmt.Sprintf("add --%s-token, or an entry with cdphub token new --role %s --append FILE", role, role)})
		}
	}
	for _, file := range append([]string{t.File}, t.JWTKeys...) {
		if info, err := os.Stat(file); file != "" && err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 && mayBeSecret(file) {
			all = append(all, finding{check, warning, fmt.Sprintf("%s can be read by other users (mode %04o)", file, info.Mode().Perm()), "chmod 600 " + file})
		}
	}
	return all
}

// mayBeSecret reports whether a file of tokens or keys is more than public keys.
func mayBeSecret(file string) bool {
	text, err := os.ReadFile(file)
	return err == nil && !strings.Contains(string(text), "BEGIN PUBLIC KEY")
}

// checkCertificate finds out whether the certificate is good, and for how long.
func checkCertificate(t server.TLS) finding {
	const check, soon = "certificate", 14 * 24 * time.Hour
	pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return finding{check, failing, err.Error(), "give the certificate and its key in PEM with --tls-cert and --tls-key"}
	}
	end := pair.Leaf.NotAfter
	found := fmt.Sprintf("%s is good until %s", t.CertFile, end.Format(time.DateOnly))
	switch left := time.Until(end); {
	case left <= 0:
		return finding{check, failing, fmt.Sprintf("%s has expired on %s", t.CertFile, end.Format(time.DateOnly)), "renew it: the hub reads it again when it changes"}
	case left < soon:
		return finding{check, warning, found, "renew it: the hub reads it again when it changes"}
	}
	return finding{Check: check, State: fine, Found: found}
}

// checkClock finds out whether the time is right: signed tokens and certificates expire by
// it.
func checkClock(needed bool) finding {
	const check = "clock"
	now := time.Now().UTC()
	found := now.Format(time.RFC3339)
	const built = 2026 // no earlier than this program
	switch synchronized, known := clockSynchronized(); {
	case now.Year() < built:
		return finding{check, failing, found + " is in the past", "set the clock: tokens and certificates do not work otherwise"}
	case known && !synchronized && needed:
		return finding{check, warning, found + ", and the kernel says that nothing keeps it right", "run an NTP client (Debian: systemd-timesyncd or chrony): signed tokens expire by this clock"}
	}
	return finding{Check: check, State: fine, Found: found}
}

// dryRun makes a server with these options and ends it, which finds everything that
// server.New refuses. unwell says that another check has failed.
func dryRun(o server.Options, unwell bool) finding {
	o.Browsers = nil // has been checked
	srv, err := server.New(o)
	if err != nil {
		return refusedOption(err)
	}
	srv.Close()
	if unwell {
		return finding{Check: "options", State: fine, Found: "the other options are good"}
	}
	return finding{Check: "options", State: fine, Found: "the hub would start"}
}

// refusedOption is the finding for an option with which the hub does not start.
func refusedOption(err error) finding {
	return finding{"options", failing, err.Error(), "correct the option: the hub does not start with it"}
}
