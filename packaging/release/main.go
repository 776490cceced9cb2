// Command release makes what goreleaser does not: SBOMs, the licences of
// third-party code, and container images. `make release` runs it.
//
//	release licenses PACKAGE                of a program, in its module's folder; to standard output
//	release sbom -version V BINARY OUT      CycloneDX, of one program
//	release images DIST                     of the programs that goreleaser has put into DIST
//
// SOURCE_DATE_EPOCH is the time of everything in its output, so that the same
// commit gives the same bytes.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"
)

const usage = "use: release licenses PACKAGE | release sbom -version V BINARY OUT | release images DIST"

func main() {
	if err := runCommand(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func runCommand(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("no command: %s", usage)
	}
	name, args := args[0], args[1:]
	if name == "licenses" && len(args) == 1 {
		return writeLicenses(os.Stdout, args[0])
	}
	epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w: set it to the time of the commit, in seconds", err)
	}
	at := time.Unix(epoch, 0).UTC()
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	version := flags.String("version", "", "version of the program")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case name == "sbom" && flags.NArg() == 2 && *version != "":
		return writeSBOM(flags.Arg(0), flags.Arg(1), *version, at)
	case name == "images" && flags.NArg() == 1:
		return makeImages(flags.Arg(0), at)
	}
	return fmt.Errorf("unknown command: %s", usage)
}
