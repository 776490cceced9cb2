package chrome

import (
	"errors"
	"os"
	"runtime"
	"slices"

	"github.com/cdphub/cdphub/internal/optionname"
	"github.com/cdphub/cdphub/internal/urlpolicy"
)

// Check refuses options that do not go together, and a browser that cannot be
// started: one that is not there, or that has a sandbox which does not run here.
func (o *Options) Check() error {
	switch {
	case !o.Isolate:
	case o.URL != "":
		return optionname.Errorf("a browser that runs already cannot be isolated: its requests are not sent through the hub. Let the hub start one, without {chrome.Options.URL}")
	case slices.ContainsFunc(o.Args, isProxy):
		return errors.New("a browser with a proxy of its own (--proxy-server) cannot be isolated: its requests would go there")
	}
	if o.URL != "" {
		return nil
	}
	if _, err := Find(o.Path); err != nil {
		return err
	}
	if runtime.GOOS == "linux" && os.Geteuid() == 0 && !o.NoSandbox && !slices.Contains(o.Args, "--no-sandbox") {
		return optionname.Errorf("the browser's" + rootNeedsNoSandbox)
	}
	return nil
}

// isolated is a browser all of whose requests go through this process. It
// implements conn.
type isolated struct {
	*launched
	end func() // of the proxy
}

// launchIsolated starts the proxy, and then the browser.
func launchIsolated(o Options) (conn, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	proxy, err := listenEgress(o.Network, urlpolicy.NewResolver(o.rules()), o.logger())
	if err != nil {
		return nil, err
	}
	// A page of another browser has no business there.
	closed := o.fence().Listens(proxy.NetAddr())
	end := func() {
		closed()
		proxy.Close()
	}
	o.egress = proxy.Addr()
	browser, err := launchBrowser(o)
	if err != nil {
		end()
		return nil, err
	}
	return &isolated{launched: browser, end: end}, nil
}

// Serve implements conn.
func (i *isolated) Serve(to receiver) error {
	defer i.end()
	return i.launched.Serve(to)
}

// isolationArgs are the arguments that leave a browser no way but the proxy. The
// names are resolved there alone, loopback is not excepted, and neither HTTP/3 nor
// WebRTC go beside it.
func isolationArgs(proxy string) []string {
	return []string{
		"--proxy-server=http://" + proxy,
		"--proxy-bypass-list=<-loopback>", // Chromium sends nothing for loopback through a proxy otherwise (net/docs/proxy.md)
		rulesArg + "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"--disable-quic",
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp", // its older name
	}
}
