package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Size gates in bytes, minified: a frame loads the agent before anything else.
const (
	maxAgent         = 163 << 10 // without its parts and that of workers
	maxPacked        = 64 << 10  // the same by gzip
	maxModule        = 322 << 10 // with its parts
	maxDOM           = 13 << 10  // parts, loaded when a client first needs them
	maxAccessibility = 54 << 10
	maxInput         = 40 << 10
	maxExtras        = 19 << 10
	maxNetwork       = 21 << 10
	maxWork          = 33 << 10
	maxHost          = 63 << 10
	maxShell         = 16 << 10 // with the stylesheet
	maxHome          = 6 << 10
	maxDash          = 120 << 10 // loaded when a person opens the dashboard
	maxStyle         = 20 << 10
	maxSnap          = 12 << 10
	maxShot          = 300 << 10 // loaded when a client first wants a screenshot
	maxTools         = 64 << 10  // loaded when DevTools come
	maxActs          = 70 << 10  // sent to each document that an action concerns
)

// target is the language level of every bundle.
const target = api.ES2020

// bundle is one file of dist made from TypeScript.
type bundle struct {
	name   string // in dist
	entry  string // in src
	format api.Format
	global string   // the name of the exports of an IIFE
	inject string   // in src: what it exports takes the place of the globals of these names
	safe   bool     // goes by the built-ins as they were before the page's scripts ran
	worker bool     // one line, in front of the first line of a worker's own script, whatever fails in it
	param  string   // of the function that a nested bundle becomes
	page   string   // HTML in src that the script is put into, when not alone
	max    int      // bytes
	packed int      // bytes by gzip, if that is held
	needs  []string // parts of the agent that this one uses
	loan   *loan    // what it lends its parts, which are made with it
}

var bundles = []bundle{
	{name: "agent.js", entry: "agent/boot.ts", inject: "agent/globals.ts", safe: true, format: api.FormatIIFE, max: maxAgent, packed: maxPacked, loan: &loan{}},
	{name: "agent.mjs", entry: "agent/module.ts", format: api.FormatESModule, max: maxModule},
	{name: "worker.js", entry: "worker/index.ts", worker: true, format: api.FormatIIFE, max: maxWork},
	{name: "host.js", entry: "host/index.ts", format: api.FormatIIFE, global: "CdpHub", max: maxHost},
	{name: "host.mjs", entry: "host/index.ts", format: api.FormatESModule, max: maxHost},
	{name: "snapshot.js", entry: "snapshot/index.ts", format: api.FormatESModule, max: maxSnap},
	{name: "devtools.js", entry: "devtools/index.ts", format: api.FormatESModule, max: maxTools},
	{name: "shot.js", entry: "shot/index.ts", inject: "shot/natives.ts", format: api.FormatESModule, max: maxShot},
	{name: "actions.js", entry: "actions/index.ts", format: api.FormatIIFE, global: "CdpHubActions", max: maxActs},
	{name: "home.js", entry: "home/home.ts", format: api.FormatIIFE, max: maxHome},
	{name: "dashboard.js", entry: "dashboard/index.tsx", format: api.FormatIIFE, max: maxDash},
	{name: "dashboard.css", entry: "dashboard/dashboard.css", max: maxStyle},
	{name: "shell.html", entry: "shell/shell.ts", format: api.FormatIIFE, page: "shell/shell.html", max: maxShell},
}

// scriptSlot and styleSlot are where a page gets its script and the stylesheet.
const (
	scriptSlot = "<!-- script -->"
	styleSlot  = "<!-- style -->"
)

// bundleAll makes every file of dist.
func bundleAll(root string) ([]output, error) {
	packages := map[string]bool{} // folders of third-party packages in use
	var files []output
	for _, b := range bundles {
		made, err := b.files(root, packages)
		if err != nil {
			return nil, err
		}
		files = append(files, made...)
	}
	if err := tooLarge(files); err != nil {
		return nil, err
	}
	notice, err := collectNotices(root, packages)
	if err != nil {
		return nil, err
	}
	return append(files, output{"NOTICE.txt", notice}), nil
}

// files is the bundle, with its parts if it has any.
func (b bundle) files(root string, packages map[string]bool) ([]output, error) {
	if b.loan != nil {
		return agentParts(root, b, packages)
	}
	data, err := b.build(root, packages)
	return []output{{b.name, data}}, err
}

// tooLarge holds the size gates.
func tooLarge(files []output) error {
	var errs []error
	for _, b := range slices.Concat(bundles, parts) {
		at := slices.IndexFunc(files, func(f output) bool { return f.name == b.name })
		if n := len(files[at].data); n > b.max {
			errs = append(errs, fmt.Errorf("%s has %d bytes, more than the %d it may have", b.name, n, b.max))
		}
		if n := gzippedSize(files[at].data); b.packed > 0 && n > b.packed {
			errs = append(errs, fmt.Errorf("%s has %d bytes by gzip, more than the %d it may have", b.name, n, b.packed))
		}
	}
	return errors.Join(errs...)
}

// gzippedSize is how many bytes gzip makes of a file.
func gzippedSize(data []byte) int {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Len()
}

// build bundles one entry and notes the third-party packages it uses.
func (b bundle) build(root string, packages map[string]bool) ([]byte, error) {
	options := b.options(root)
	options.Plugins = []api.Plugin{nestedBundles(root, packages)}
	if b.loan != nil {
		options.Plugins = append(options.Plugins, lendPlugin(root, b.loan))
	}
	code, err := b.script(root, options, packages)
	if err != nil {
		return nil, err
	}
	if b.format == api.FormatESModule {
		code = importAsWritten.ReplaceAll(code, []byte("import(/* webpackIgnore: true */ /* @vite-ignore */ $1)"))
	}
	if b.page == "" {
		return code, nil
	}
	page, err := os.ReadFile(sourcePath(root, b.page))
	if err != nil {
		return nil, err
	}
	style, err := readStylesheet(root)
	if err != nil {
		return nil, err
	}
	code = bytes.Join([][]byte{[]byte("<script>"), bytes.TrimSpace(code), []byte("</script>")}, nil)
	page = bytes.Replace(page, []byte(scriptSlot), code, 1)
	return bytes.Replace(page, []byte(styleSlot), style, 1), nil
}

// readStylesheet is the one of all pages, as an element.
func readStylesheet(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, "style.css"))
	if err != nil {
		return nil, err
	}
	res := api.Transform(string(text), api.TransformOptions{
		Loader: api.LoaderCSS, MinifyWhitespace: true, MinifySyntax: true, LogLevel: api.LogLevelWarning,
	})
	if err := buildFailure(res.Errors); err != nil {
		return nil, fmt.Errorf("style.css: %w", err)
	}
	return bytes.Join([][]byte{[]byte("<style>"), bytes.TrimSpace(res.Code), []byte("</style>")}, nil), nil
}

// script bundles the entry with these options.
func (b bundle) script(root string, options api.BuildOptions, packages map[string]bool) ([]byte, error) {
	final := options
	if b.safe {
		options.MinifyWhitespace, options.MinifySyntax, options.MinifyIdentifiers = false, false, false
		options.Format, options.GlobalName, options.Banner = api.FormatESModule, "", nil
		options.Plugins = append(slices.Clone(options.Plugins), markPlugin(root))
	}
	res := api.Build(options)
	if err := buildFailure(res.Errors); err != nil {
		return nil, fmt.Errorf("%s: %w", b.entry, err)
	}
	if err := usedPackages(res.Metafile, packages); err != nil {
		return nil, err
	}
	code := res.OutputFiles[0].Contents
	if b.worker {
		return oneLine(code)
	}
	if !b.safe {
		return code, nil
	}
	var made []string
	if b.loan != nil {
		made = b.loan.made()
	}
	return withBuiltins(root, final, code, made)
}

// oneLine makes a script that other text can follow in the same line.
func oneLine(code []byte) ([]byte, error) {
	code = bytes.TrimSpace(code)
	if bytes.ContainsRune(code, '\n') {
		return nil, errors.New("the agent of workers has more than one line")
	}
	return bytes.Join([][]byte{[]byte("try{"), code, []byte("}catch(e){};")}, nil), nil
}

// importAsWritten is an import of an address that the code computes. The bundler
// of an application takes it for a file of its own, unless these comments say
// otherwise; esbuild removes them from the sources when it minifies.
var importAsWritten = regexp.MustCompile(`\bimport\((\w+)\)`)

const banner = "/* cdphub, Apache-2.0; third parties: NOTICE.txt */"

// options are what esbuild makes the bundle by.
func (b bundle) options(root string) api.BuildOptions {
	var inject []string
	if b.inject != "" {
		inject = []string{sourcePath(root, b.inject)}
	}
	options := api.BuildOptions{
		EntryPoints:       []string{sourcePath(root, b.entry)},
		Inject:            inject,
		AbsWorkingDir:     root,
		Bundle:            true,
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
		Banner:            map[string]string{"js": banner, "css": banner},
		LogLevel:          api.LogLevelWarning,
	}
	if b.worker {
		options.Banner = nil
		options.Define = map[string]string{"window": "self"}
		options.Supported = map[string]bool{"template-literal": false} // in which lines end
	}
	return options
}

// buildFailure is the esbuild messages as one error, or nil.
func buildFailure(list []api.Message) error {
	if len(list) == 0 {
		return nil
	}
	text := api.FormatMessages(list, api.FormatMessagesOptions{Kind: api.ErrorMessage})
	return errors.New(strings.TrimSpace(strings.Join(text, "\n")))
}
