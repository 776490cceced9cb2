package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"

	"github.com/evanw/esbuild/pkg/api"
)

// nested maps an import to what becomes its default export: a function whose
// body is a bundle of its own. The code runs when the function is called, and
// its toString is a complete script. That of a worker bundle is its text instead.
var nested = map[string]bundle{
	// A Host page makes its Worker from the text of this function, or calls it
	// where Workers are forbidden. Thus one file with one copy of the code is
	// enough.
	"worker-main": {entry: "host/worker.ts", param: "self"},
	// The Frame Agent puts it in front of the scripts of workers.
	"worker-agent-main": {entry: "worker/index.ts", worker: true},
	// The agent expects a document. A server imports the module without one.
	"agent-main": {entry: "agent/index.ts", inject: "agent/globals.ts", safe: true, global: "agent"},
}

// nestedBundles resolves the imports of nested. Each bundle is minified and for
// the final language level already, since a plugin's output is only minified as
// a part of what imports it. The third-party packages in use go to packages.
func nestedBundles(root string, packages map[string]bool) api.Plugin {
	const namespace = "nested"
	return api.Plugin{Name: namespace, Setup: func(build api.PluginBuild) {
		for name, b := range nested {
			b.format = api.FormatIIFE
			exact := "^" + regexp.QuoteMeta(name) + "$"
			build.OnResolve(api.OnResolveOptions{Filter: exact}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: name, Namespace: namespace}, nil
			})
			build.OnLoad(api.OnLoadOptions{Filter: exact, Namespace: namespace}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
				options := b.options(root)
				options.Banner = nil
				options.Plugins = []api.Plugin{nestedBundles(root, packages)}
				script, err := b.script(root, options, packages)
				if err != nil {
					return api.OnLoadResult{}, err
				}
				if b.worker {
					text, err := json.Marshal(string(script))
					code := "export default " + string(text)
					return api.OnLoadResult{Contents: &code}, err
				}
				code := "export default function(" + b.param + "){" + string(script)
				if b.global != "" {
					code += "return " + b.global
				}
				code += "}"
				return api.OnLoadResult{Contents: &code}, nil
			})
		}
	}}
}

// sourcePath is the absolute path of a file of src.
func sourcePath(root, name string) string {
	return filepath.Join(root, "src", filepath.FromSlash(name))
}
