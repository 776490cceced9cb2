package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// parts are pieces of agent.js, which a document loads when a client first
// needs them. The sources import what they need of the agent like any other;
// here each such import becomes a look into what the agent lends, so that a
// part has the agent's own functions and state, and its built-ins of before the
// page's scripts ran. agent.mjs has the same sources in it.
//
// A part may use others, which stand before it.
var parts = []bundle{
	{name: "dom.js", entry: "agent/dom/index.ts", max: maxDOM},
	{name: "accessibility.js", entry: "agent/accessibility/index.ts", max: maxAccessibility, needs: []string{"dom.js"}},
	{name: "input.js", entry: "agent/input/index.ts", max: maxInput},
	{name: "network.js", entry: "agent/network/part.ts", max: maxNetwork},
	{name: "extras.js", entry: "agent/extras.ts", max: maxExtras, needs: []string{"dom.js"}},
}

// lentModule is the import that stands for what agent.js lends its parts.
const lentModule = "agent-lent"

// part is one of parts on its way.
type part struct {
	bundle
	code    string   // for the built-ins of before, without the imports
	names   []string // what it takes from the agent's modules: "frameOf", "send as send2"
	globals []string // names of agent/globals.ts that it uses, and helpers of agent/base/builtins.ts
	made    []string // the globals of windows that it makes new ones of
	lends   []string // what it returns for other parts: "pushNode", "changed: changed2"
}

// agentParts is agent.js and its parts.
func agentParts(root string, agent bundle, packages map[string]bool) ([]output, error) {
	core, err := coreFiles(root, agent, packages)
	if err != nil {
		return nil, err
	}
	owners, err := partFiles(root, core)
	if err != nil {
		return nil, err
	}
	lent := map[string]string{} // export to its file
	var list []part
	sum := sha256.New()
	for _, b := range slices.Backward(parts) { // what a part lends shows in those that use it
		p, err := readPart(root, b, owners, lent, packages)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.name, err)
		}
		list = append(list, p)
	}
	ofCore := maps.Clone(lent)
	maps.DeleteFunc(ofCore, func(_, file string) bool { return owners[file] != agent.name })
	loan := loan{names: ofCore, parts: list}
	agent.loan = &loan
	for _, p := range list {
		code, err := p.write("", loan.list())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		sum.Write(code)
	}
	// What agent.js has without the version stands for the sources of both.
	code, err := agent.build(root, packages)
	if err != nil {
		return nil, err
	}
	sum.Write(code)
	loan.version = hex.EncodeToString(sum.Sum(nil)[:6])
	if code, err = agent.build(root, packages); err != nil {
		return nil, err
	}
	files := []output{{agent.name, code}}
	for _, p := range list {
		code, err := p.write(loan.version, loan.list())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		files = append(files, output{p.name, code})
	}
	return files, nil
}

// partFiles says which of agent.js and its parts has a source: two would have
// two of its state.
func partFiles(root string, core map[string]bool) (map[string]string, error) {
	owners := map[string]string{}
	for name := range core {
		owners[name] = "agent.js"
	}
	for _, b := range parts {
		options := b.options(root)
		options.Format = api.FormatESModule
		options.Plugins = []api.Plugin{borrowPlugin(b, owners)}
		res := api.Build(options)
		if err := buildFailure(res.Errors); err != nil {
			return nil, err
		}
		files, err := usedFiles(res.Metafile, root)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if owner := owners[name]; owner != "" {
				return nil, fmt.Errorf("%s is in %s and in %s: import it in agent.js", name, b.name, owner)
			}
			owners[name] = b.name
		}
	}
	return owners, nil
}

// coreFiles are the sources that agent.js has for itself.
func coreFiles(root string, agent bundle, packages map[string]bool) (map[string]bool, error) {
	options := agent.options(root)
	options.Plugins = []api.Plugin{nestedBundles(root, packages), lendPlugin(root, &loan{})}
	res := api.Build(options)
	if err := buildFailure(res.Errors); err != nil {
		return nil, err
	}
	return usedFiles(res.Metafile, root)
}

// usedFiles are the absolute paths of the sources whose code is in the output.
func usedFiles(metafile, root string) (map[string]bool, error) {
	var meta struct {
		Outputs map[string]struct {
			Inputs map[string]struct {
				Bytes int `json:"bytesInOutput"`
			} `json:"inputs"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, err
	}
	files := map[string]bool{}
	for _, out := range meta.Outputs {
		for name, in := range out.Inputs {
			if in.Bytes > 0 {
				files[filepath.Join(root, filepath.FromSlash(name))] = true
			}
		}
	}
	return files, nil
}

var (
	lentImport = regexp.MustCompile(`(?m)^import (?:\{([^}]*)\} from )?"lent:([^"]+)";\n`)
	reassigned = regexp.MustCompile(`(?m)^export let (\w+)`)
	exports    = regexp.MustCompile(`(?m)^export \{([^}]*)\};\n`)
	expected   = regexp.MustCompile(`^\$expect\("([^"]*)"\);\n`)
	helperName = regexp.MustCompile(`\$(?:methods|reader|iterate|await|new|global|maybe|read|write|run|may|getters|setters|callers)\b`)
	globalName = regexp.MustCompile(`(?m)^  (\w+),$`)
)

// readPart bundles a part up to what it takes from the agent and other parts,
// which is added to lent. owners says which of them has a file.
func readPart(root string, b bundle, owners, lent map[string]string, packages map[string]bool) (part, error) {
	options := b.options(root)
	options.EntryPoints, options.Stdin = nil, &api.StdinOptions{Contents: b.withLoan(root, owners, lent), ResolveDir: root}
	options.Format, options.Banner = api.FormatESModule, nil
	options.MinifyWhitespace, options.MinifySyntax, options.MinifyIdentifiers = false, false, false
	options.Plugins = []api.Plugin{borrowPlugin(b, owners), markPlugin(root)}
	res := api.Build(options)
	if err := buildFailure(res.Errors); err != nil {
		return part{}, err
	}
	if err := usedPackages(res.Metafile, packages); err != nil {
		return part{}, err
	}
	p := part{bundle: b}
	code := string(res.OutputFiles[0].Contents)
	for _, m := range lentImport.FindAllStringSubmatch(code, -1) {
		if err := p.borrow(m[1], m[2], lent); err != nil {
			return part{}, err
		}
	}
	code = lentImport.ReplaceAllString(code, "")
	if m := exports.FindStringSubmatch(code); m != nil {
		p.lends = renameExports(m[1])
		code = exports.ReplaceAllString(code, "")
	}
	safe, err := rewriteBuiltins(root, []byte(code))
	if err != nil {
		return part{}, err
	}
	p.code = string(safe)
	p.made = strings.Fields(expected.FindStringSubmatch(p.code)[1])
	p.code = expected.ReplaceAllString(p.code, "")
	return p, p.findGlobals(root)
}

// withLoan is the entry of a part, with what other parts use of it.
func (b bundle) withLoan(root string, owners, lent map[string]string) string {
	text := fmt.Sprintf("import %q;\n", filepath.ToSlash(sourcePath(root, b.entry)))
	for _, name := range slices.Sorted(maps.Keys(lent)) {
		if owners[lent[name]] == b.name {
			text += fmt.Sprintf("export {%s} from %q;\n", name, filepath.ToSlash(lent[name]))
		}
	}
	return text
}

// renameExports is a list of exports, "a" and "b2 as b", as properties of an object.
func renameExports(list string) []string {
	var made []string
	for each := range strings.SplitSeq(list, ",") {
		own, name, other := strings.Cut(strings.TrimSpace(each), " as ")
		if other {
			own = name + ": " + own
		}
		if own != "" {
			made = append(made, own)
		}
	}
	return made
}

// borrow notes what an import statement takes from a file of the agent.
func (p *part) borrow(names, file string, lent map[string]string) error {
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for each := range strings.SplitSeq(names, ",") {
		each = strings.TrimSpace(each)
		name, _, _ := strings.Cut(each, " as ")
		switch other := lent[name]; {
		case name == "":
			continue
		case other != "" && other != file:
			return fmt.Errorf("%s and %s both export %q: give one another name", other, file, name)
		case slices.ContainsFunc(reassigned.FindAllStringSubmatch(string(source), -1), func(m []string) bool { return m[1] == name }):
			return fmt.Errorf("%s may change %q: a part needs a function that returns it", file, name)
		}
		lent[name] = file
		p.names = append(p.names, strings.Replace(each, " as ", ": ", 1))
	}
	return nil
}

// findGlobals finds which globals and helpers of the agent the part uses.
func (p *part) findGlobals(root string) error {
	list, err := os.ReadFile(sourcePath(root, "agent/globals.ts"))
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for _, m := range globalName.FindAllStringSubmatch(string(list), -1) {
		if regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(p.code) {
			used[m[1]] = true
		}
	}
	if len(used) == 0 {
		return errors.New("agent/globals.ts has no names")
	}
	for _, name := range helperName.FindAllString(p.code, -1) {
		used[name] = true
	}
	p.globals = slices.Sorted(maps.Keys(used))
	return nil
}

// write is the finished part: a module whose default export adds the handlers
// to the agent that lends, and returns what the part lends. What the agent lends
// has no names, but an order: lent.
func (p *part) write(version string, lent []string) ([]byte, error) {
	names := slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.names, p.globals))))
	for i, each := range names {
		name, own, other := strings.Cut(each, ": ")
		if at, ok := slices.BinarySearch(lent, name); ok {
			if !other {
				own = name
			}
			names[i] = fmt.Sprintf("%d: %s", at, own)
		}
	}
	text := fmt.Sprintf("export const version=%q;export default function($lent){const {%s}=$lent;%s;return {%s}}",
		version, strings.Join(names, ","), p.code, strings.Join(p.lends, ","))
	res := api.Transform(text, api.TransformOptions{
		Target: target, Format: api.FormatESModule, Charset: api.CharsetASCII, Banner: banner, LogLevel: api.LogLevelWarning,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, LegalComments: api.LegalCommentsNone,
	})
	return res.Code, buildFailure(res.Errors)
}

// borrowPlugin leaves to agent.js, and to the parts that a part needs, what they have.
func borrowPlugin(b bundle, owners map[string]string) api.Plugin {
	return api.Plugin{Name: "borrowing", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^\.`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			if a.PluginData == "resolved" {
				return api.OnResolveResult{}, nil
			}
			r := build.Resolve(a.Path, api.ResolveOptions{Importer: a.Importer, ResolveDir: a.ResolveDir, Kind: a.Kind, PluginData: "resolved"})
			owner := owners[r.Path]
			if err := buildFailure(r.Errors); err != nil || owner != "agent.js" && !slices.Contains(b.needs, owner) {
				return api.OnResolveResult{}, err
			}
			return api.OnResolveResult{Path: "lent:" + r.Path, External: true}, nil
		})
	}}
}

// loan is what agent.js lends its parts.
type loan struct {
	names   map[string]string // export to its file
	parts   []part
	version string // of agent.js and its parts together
}

// made are the globals of windows that the parts make new ones of.
func (l *loan) made() []string {
	var all []string
	for _, p := range l.parts {
		all = append(all, p.made...)
	}
	return all
}

// lendPlugin makes the module agent-lent: a function that returns what is lent.
func lendPlugin(root string, l *loan) api.Plugin {
	return api.Plugin{Name: "lending", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: "^" + lentModule + "$"}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: lentModule, Namespace: "lending"}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "lending"}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			code := l.module()
			return api.OnLoadResult{Contents: &code, ResolveDir: root}, nil
		})
	}}
}

// list is the order in which agent.js lends.
func (l *loan) list() []string {
	all := slices.Collect(maps.Keys(l.names))
	for _, p := range l.parts {
		all = append(all, p.globals...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// module is the source of agent-lent.
func (l *loan) module() string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(l.names)) {
		fmt.Fprintf(&text, "import {%s} from %q;\n", name, filepath.ToSlash(l.names[name]))
	}
	fmt.Fprintf(&text, "export const version = %q;\nexport const lend = () => [%s];\nexport const needs = {", l.version, strings.Join(l.list(), ","))
	for _, p := range parts {
		if p.needs != nil {
			fmt.Fprintf(&text, "%q: [\"%s\"],", p.name, strings.Join(p.needs, `","`))
		}
	}
	text.WriteString("};\n")
	return text.String()
}
