package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/cdphub/cdphub/internal/logging"
)

// doctorCmd is `cdphub doctor`: it takes the options of `cdphub serve` and says
// what they lack on this machine.
type doctorCmd struct {
	serveCmd
	JSON bool `name:"json" help:"Print the findings as JSON."`
}

// state is how good a finding is.
type state string

const (
	fine    state = "ok"
	warning state = "warn" // the hub works, with less than it could have
	failing state = "fail" // what was asked for does not work
)

// finding is what one check has found.
type finding struct {
	Check string `json:"check"`
	State state  `json:"state"`
	Found string `json:"found"`
	Cure  string `json:"cure,omitempty"` // what to do; "" when all is well
}

func isFailing(f finding) bool { return f.State == failing }

// errUnwell makes the exit status 1. The findings say what is wrong.
var errUnwell = errors.New("something is missing: see the lines that begin with fail")

// Run prints one finding for each check.
func (c *doctorCmd) Run(ctx context.Context, s streams, root *cli, parsed *kong.Context) error {
	all := []finding{{Check: "config", State: fine, Found: "no config file is used"}}
	if root.Config != "" {
		all[0].Found = string(root.Config) + " is valid"
	}
	all = append(all, checkFiles(parsed.Flags())...)
	log, err := logging.Open(io.Discard, logging.Options{Level: "error"})
	if err != nil {
		return err
	}
	o, err := c.options(log)
	if err != nil {
		return printFindings(s.out, c.JSON, append(all, refusedOption(err)))
	}
	all = append(all, c.browser(ctx, o.Browsers)...)
	all = append(all, checkSandbox(), sharedMemory(), checkFonts())
	ports := []finding{c.port(ctx, "--client-addr", o.ClientAddr)}
	if o.HostAddr != o.ClientAddr {
		ports = append(ports, c.port(ctx, "--host-addr", o.HostAddr))
	}
	if o.AdminAddr != "" {
		ports = append(ports, c.port(ctx, "--admin-addr", o.AdminAddr))
	}
	all = append(append(all, ports...), checkTokens(o.Tokens, o.Browsers == nil)...)
	if o.TLS.CertFile != "" {
		all = append(all, checkCertificate(o.TLS))
	}
	all = append(all, checkClock(len(o.Tokens.JWTKeys) > 0))
	if !slices.ContainsFunc(ports, func(f finding) bool { return f.State != fine }) {
		all = append(all, dryRun(o, slices.ContainsFunc(all, isFailing)))
	}
	if ports[0].State != failing {
		all = append(all, checkPublic(ctx, o, ports[0].State == warning)...)
	}
	return printFindings(s.out, c.JSON, all)
}

// printFindings prints findings. Its error is errUnwell if one of them is a failure.
func printFindings(out io.Writer, asJSON bool, all []finding) error {
	unwell := slices.ContainsFunc(all, isFailing)
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := e.Encode(map[string]any{"ok": !unwell, "findings": all}); err != nil {
			return err
		}
	} else {
		for _, f := range all {
			fmt.Fprintf(out, "%-4s  %-13s %s\n", f.State, f.Check, f.Found)
			if f.Cure != "" {
				fmt.Fprintf(out, "%-4s  %-13s to do: %s\n", "", "", f.Cure)
			}
		}
	}
	if unwell {
		return errUnwell
	}
	return nil
}

// isDoctor reports whether a command line is for doctor. Then options that cannot be
// read are a finding, and no usage error.
func isDoctor(args []string) bool { return len(args) > 0 && args[0] == "doctor" }

// reportUnreadable reports, as the only finding, that the options cannot be read.
func reportUnreadable(out io.Writer, args []string, err error) error {
	check := "options"
	if strings.Contains(err.Error(), "config file") {
		check = "config"
	}
	return printFindings(out, slices.Contains(args, "--json"), []finding{{check, failing, err.Error(), "correct it, and run this again: nothing else was checked"}})
}
