package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Size gates in bytes, minified: a frame loads the agent before anything else.
const (
	maxAgent = 230 << 10
	maxHost  = 42 << 10
	maxShell = 4 << 10
	maxSnap  = 12 << 10
	maxShot  = 300 << 10 // loaded when a client first wants a screenshot
	maxActs  = 64 << 10  // sent to each document that an action concerns
)

// target is the language level of every bundle.
const target = api.ES2020

// bundle is one file of dist made from TypeScript.
type bundle struct {
	name   string // in dist
	entry  string // in src
	format api.Format
	global string // the name of the exports of an IIFE
	inject string // in src: what it exports takes the place of the globals of these names
	page   string // HTML in src that the script is put into, when not alone
	max    int    // bytes
}

var bundles = []bundle{
	{name: "agent.js", entry: "agent/boot.ts", inject: "agent/globals.ts", format: api.FormatIIFE, max: maxAgent},
	{name: "agent.mjs", entry: "agent/index.ts", inject: "agent/globals.ts", format: api.FormatESModule, max: maxAgent},
	{name: "host.js", entry: "host/index.ts", format: api.FormatIIFE, global: "CdpHub", max: maxHost},
	{name: "host.mjs", entry: "host/index.ts", format: api.FormatESModule, max: maxHost},
	{name: "snapshot.js", entry: "snapshot/index.ts", format: api.FormatESModule, max: maxSnap},
	{name: "shot.js", entry: "shot/index.ts", inject: "shot/natives.ts", format: api.FormatESModule, max: maxShot},
	{name: "actions.js", entry: "actions/index.ts", format: api.FormatIIFE, global: "CdpHubActions", max: maxActs},
	{name: "shell.html", entry: "shell/shell.ts", format: api.FormatIIFE, page: "shell/shell.html", max: maxShell},
}

// scriptSlot is where a page gets its script.
const scriptSlot = "<!-- script -->"

// bundleAll makes every file of dist.
func bundleAll(root string) ([]output, error) {
	packages := map[string]bool{} // folders of third-party packages in use
	var files []output
	for _, b := range bundles {
		data, err := b.build(root, packages)
		if err != nil {
			return nil, err
		}
		if len(data) > b.max {
			return nil, fmt.Errorf("%s has %d bytes, more than the %d it may have", b.name, len(data), b.max)
		}
		files = append(files, output{b.name, data})
	}
	notice, err := notices(root, packages)
	if err != nil {
		return nil, err
	}
	return append(files, output{"NOTICE.txt", notice}), nil
}

// build bundles one entry and notes the third-party packages it uses.
func (b bundle) build(root string, packages map[string]bool) ([]byte, error) {
	var inject []string
	if b.inject != "" {
		inject = []string{filepath.Join(root, "src", filepath.FromSlash(b.inject))}
	}
	res := api.Build(api.BuildOptions{
		EntryPoints:       []string{filepath.Join(root, "src", filepath.FromSlash(b.entry))},
		Inject:            inject,
		AbsWorkingDir:     root,
		Bundle:            true,
		Write:             false,
		Metafile:          true,
		Format:            b.format,
		GlobalName:        b.global,
		Target:            target,
		Platform:          api.PlatformBrowser,
		MinifyWhitespace:  true,
		MinifySyntax:      true,
		MinifyIdentifiers: true,
		Charset:           api.CharsetASCII,
		LegalComments:     api.LegalCommentsNone, // NOTICE.txt has them in full
		Banner:            map[string]string{"js": "/* cdphub, Apache-2.0; third parties: NOTICE.txt */"},
		Plugins:           []api.Plugin{workerMain(root)},
		LogLevel:          api.LogLevelWarning,
	})
	if err := failure(res.Errors); err != nil {
		return nil, fmt.Errorf("%s: %w", b.entry, err)
	}
	if err := usedPackages(res.Metafile, packages); err != nil {
		return nil, err
	}
	code := res.OutputFiles[0].Contents
	if b.page == "" {
		return code, nil
	}
	page, err := os.ReadFile(filepath.Join(root, "src", filepath.FromSlash(b.page)))
	if err != nil {
		return nil, err
	}
	code = bytes.Join([][]byte{[]byte("<script>"), bytes.TrimSpace(code), []byte("</script>")}, nil)
	return bytes.Replace(page, []byte(scriptSlot), code, 1), nil
}

// workerPath is the import whose default export is a function that runs
// host/worker.ts in the scope it is given.
const workerPath = "worker-main"

// workerMain resolves workerPath. The bundle of host/worker.ts becomes the
// body of a function, already minified and for the final language level, so
// that its toString is a complete script: a Host page makes its Worker from
// that text, or calls the function where Workers are forbidden. Thus one file
// with one copy of the code is enough.
func workerMain(root string) api.Plugin {
	return api.Plugin{Name: workerPath, Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: "^" + workerPath + "$"},
			func(api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: workerPath, Namespace: workerPath}, nil
			})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: workerPath},
			func(api.OnLoadArgs) (api.OnLoadResult, error) {
				res := api.Build(api.BuildOptions{
					EntryPoints:       []string{filepath.Join(root, "src", "host", "worker.ts")},
					AbsWorkingDir:     root,
					Bundle:            true,
					Format:            api.FormatIIFE,
					Target:            target,
					MinifyWhitespace:  true,
					MinifySyntax:      true,
					MinifyIdentifiers: true,
					Charset:           api.CharsetASCII,
				})
				if err := failure(res.Errors); err != nil {
					return api.OnLoadResult{}, err
				}
				code := "export default function(self){" + string(res.OutputFiles[0].Contents) + "}"
				return api.OnLoadResult{Contents: &code}, nil
			})
	}}
}

// failure is the esbuild messages as one error, or nil.
func failure(list []api.Message) error {
	if len(list) == 0 {
		return nil
	}
	text := api.FormatMessages(list, api.FormatMessagesOptions{Kind: api.ErrorMessage})
	return errors.New(strings.TrimSpace(strings.Join(text, "\n")))
}
