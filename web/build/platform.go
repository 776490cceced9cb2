package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// marked is what platform.mjs makes of the agent's sources.
type marked struct {
	Files map[string]string `json:"files"` // the text of each, by its absolute path
	// What src/agent/base/builtins.ts takes before the page's scripts run:
	Interfaces string `json:"interfaces"` // by name
	OfWindow   string `json:"ofWindow"`   // properties of windows
}

// safeSources are those of which a bundle may be safe.
var safeSources = []string{
	"src/agent", "src/wire", "src/cdp.ts", "src/realms.ts", "src/flattree.ts", "src/stringify.ts",
	"src/methods.ts", "src/base64.ts", "src/browseronly.ts", "src/clienterror.ts", "src/documentevents.ts",
}

var marks sync.Map // folder to func() (marked, error)

// markSources runs platform.mjs, once for a folder.
func markSources(root string) (marked, error) {
	run, _ := marks.LoadOrStore(root, sync.OnceValues(func() (made marked, err error) {
		cmd := exec.Command("node", append([]string{"build/platform.mjs"}, safeSources...)...)
		cmd.Dir = root
		var said bytes.Buffer
		cmd.Stderr = &said
		text, err := cmd.Output()
		if err != nil {
			return made, fmt.Errorf("build/platform.mjs: %w\n%s", err, said.Bytes())
		}
		return made, json.Unmarshal(text, &made)
	}))
	return run.(func() (marked, error))()
}

// markPlugin gives the bundler the marked texts of sources.
func markPlugin(root string) api.Plugin {
	return api.Plugin{Name: "marked", Setup: func(build api.PluginBuild) {
		build.OnLoad(api.OnLoadOptions{Filter: `\.ts$`}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			made, err := markSources(root)
			text, ok := made.Files[args.Path]
			if err != nil || !ok || strings.HasSuffix(args.Path, "builtins.ts") {
				return api.OnLoadResult{}, err
			}
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderTS}, nil
		})
	}}
}
