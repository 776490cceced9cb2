package version

import (
	"regexp"
	"runtime/debug"
	"testing"
)

func TestRead(t *testing.T) {
	checkout := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}}
	for name, tt := range map[string]struct {
		linked Info
		build  *debug.BuildInfo
		want   Info
	}{
		"a release": {
			Info{Version: "1.2.3", Commit: "c", Date: "d"},
			&debug.BuildInfo{Main: debug.Module{Path: module, Version: "v9.9.9"}, Settings: checkout},
			Info{Version: "1.2.3", Commit: "c", Date: "d"},
		},
		"go install of a tag": {
			Info{},
			&debug.BuildInfo{Main: debug.Module{Path: module, Version: "v1.2.3"}},
			Info{Version: "1.2.3"},
		},
		"go build in a checkout": {
			Info{},
			&debug.BuildInfo{Main: debug.Module{Path: module, Version: "v0.0.0-20260102030405-abc+dirty"}, Settings: checkout},
			Info{Version: "0.0.0-20260102030405-abc+dirty", Commit: "abc", Date: "2026-01-02T03:04:05Z"},
		},
		"without version control": {
			Info{},
			&debug.BuildInfo{Main: debug.Module{Path: module, Version: "(devel)"}},
			Info{Version: "devel"},
		},
		"of another module of this repository": {
			Info{},
			&debug.BuildInfo{
				Main:     debug.Module{Path: module + "/cluster/nats", Version: "(devel)"},
				Deps:     []*debug.Module{{Path: module, Version: "v0.0.0"}},
				Settings: checkout,
			},
			Info{Version: "devel", Commit: "abc", Date: "2026-01-02T03:04:05Z"},
		},
		"in another program": {
			Info{},
			&debug.BuildInfo{
				Main:     debug.Module{Path: "example.com/app", Version: "v7.0.0"},
				Deps:     []*debug.Module{{Path: "example.com/other", Version: "v5.0.0"}, {Path: module, Version: "v1.2.3"}},
				Settings: checkout,
			},
			Info{Version: "1.2.3"},
		},
		"no record": {Info{}, nil, Info{Version: "devel"}},
	} {
		if got := readBuild(tt.linked, tt.build); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

func TestString(t *testing.T) {
	got := Info{"cdphub", "1.2.3", "0123456789abcdef", "2026-01-02T03:04:05Z"}.String()
	if !regexp.MustCompile(`^cdphub 1\.2\.3 \(commit 0123456789ab, 2026-01-02T03:04:05Z, go\S+, \w+/\w+\)$`).MatchString(got) {
		t.Error(got)
	}
}
