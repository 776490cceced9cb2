// Package version says which version of cdphub this is:
//
//	fmt.Println(version.Current()) // cdphub 1.2.3 (commit …)
//
// Everything that states a version of the program takes it from here.
package version

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

const module = "github.com/cdphub/cdphub"

// version, commit and date are set by a release:
//
//	-ldflags "-X github.com/cdphub/cdphub/internal/version.version=1.2.3 …"
var version, commit, date string

// Info is what is known of a build.
type Info struct {
	Name    string `json:"name"`             // "cdphub"
	Version string `json:"version"`          // "1.2.3", without a "v"; "devel" where nothing says which
	Commit  string `json:"commit,omitempty"` // the full hash
	Date    string `json:"date,omitempty"`   // of the commit, RFC 3339, UTC
}

// Current is the running build. What the linker did not set is read from what
// the go command has recorded: the version of `go install …@v1.2.3`, or the
// commit of a checkout.
var Current = sync.OnceValue(func() Info {
	build, _ := debug.ReadBuildInfo()
	return readBuild(Info{"cdphub", version, commit, date}, build)
})

// String is "cdphub 1.2.3 (commit 0123456789ab, 2026-01-02T15:04:05Z, go1.26.0, linux/amd64)".
func (i Info) String() string {
	var details []string
	if i.Commit != "" {
		const short = 12 // digits, as in Go's pseudo-versions
		details = append(details, "commit "+i.Commit[:min(short, len(i.Commit))])
	}
	if i.Date != "" {
		details = append(details, i.Date)
	}
	details = append(details, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	return i.Product(" ") + " (" + strings.Join(details, ", ") + ")"
}

// UserAgent is the header of requests that this program makes (RFC 9110,
// section 10.1.5): "cdphub/1.2.3".
func UserAgent() string { return Current().Product("/") }

// Product is name and version.
func (i Info) Product(separator string) string { return i.Name + separator + i.Version }

// Header is the header Server of /health (RFC 9110, section 10.2.4):
// "cdphub/1.2.3 (0123456789abcdef…; 2026-01-02T15:04:05Z)".
func (i Info) Header() string {
	comment := strings.Trim(i.Commit+"; "+i.Date, "; ")
	if comment == "" {
		return i.Product("/")
	}
	return i.Product("/") + " (" + comment + ")"
}

// readBuild fills what is missing in i from a build's record, which is nil where
// there is none.
func readBuild(i Info, build *debug.BuildInfo) Info {
	if build != nil {
		i = fromBuild(i, build)
	}
	i.Version = strings.TrimPrefix(i.Version, "v")
	if i.Version == "" || i.Version == "(devel)" {
		i.Version = "devel"
	}
	return i
}

func fromBuild(i Info, build *debug.BuildInfo) Info {
	if build.Main.Path != module && !strings.HasPrefix(build.Main.Path, module+"/") { // a program that embeds package server: its commit is not ours
		for _, m := range build.Deps {
			if m.Path == module && i.Version == "" {
				i.Version = m.Version
			}
		}
		return i
	}
	if i.Version == "" {
		i.Version = build.Main.Version
	}
	for _, s := range build.Settings {
		switch {
		case s.Key == "vcs.revision" && i.Commit == "":
			i.Commit = s.Value
		case s.Key == "vcs.time" && i.Date == "":
			i.Date = s.Value
		}
	}
	return i
}
