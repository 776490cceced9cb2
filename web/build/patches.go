package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// patch changes a text of a third-party file, which has it exactly once.
type patch struct{ old, new string }

// snapdomPatches mend what no option or plugin of snapdom can. The patterns are minified code of the version that
// package-lock.json pins. A build with another version fails until they were looked at again.
var snapdomPatches = []patch{
	// In quirks mode the scroll offset of body is that of the viewport, which the clip has in it (CSSOM View, 7).
	{"r.clip&&g===t||mo(d,g)", "r.clip&&(g===t||g===g.ownerDocument.scrollingElement)||mo(d,g)"},
	// What is out of the clip becomes an empty box, whose baseline is not that of its content: no box in a line does.
	{`if(r.display==="inline"&&!gl.has(`, `if(r.display.startsWith("inline")&&!gl.has(`},
	// A long page has most of its elements out of the picture: they are copied as few boxes.
	{
		"if(e.clip&&yl(t,e.clip))return bl(t,e,n);",
		"if(e.clip){let o=copyOutside(t,e.clip,yl,()=>bl(t,e,n));if(o!==void 0)return o}",
	},
	// What collapses is in the margins that copyOutside sets. A box that is not in the flow has its own.
	{`if(!/flex|grid|table/.test(s)&&(a==="static"||a==="relative")){`, "if(!1){"},
	// A fixed or sticky box is drawn where it is and as wide as it is. snapdom moves a box at the edge of the clip outwards
	// by a pixel, with all that is in it, and adds two to its width.
	{
		"let M=y+2,x=b;i&&(Math.abs(A-i.y)<.5&&(A-=1,x+=1),Math.abs(C-i.x)<.5&&(C-=1,M+=1)),",
		"let M=y,x=b;",
	},
	// After a picture, snapdom goes on watching the document for the next one: by observers and listeners, whose callbacks
	// make the nodes of child frames nodes of another realm (see realms.ts), and which draw when a button is hovered. Here
	// nothing is kept from one picture to the next.
	{"f=o&&!n.captureSelection&&n.burst!==!1&&s&&!a&&ka(t);", "f=!1;"},
	{"if(t===Qe||!t||t.nodeType!==9)return;", "return;"},
	{"function Br(t){", "function Br(t){return;"},
	{"function Ta(){", "function Ta(){return;"},
}

// patchPlugin is an esbuild plugin that applies the patches of third-party files.
func patchPlugin(root string) api.Plugin {
	return api.Plugin{Name: "patched", Setup: func(build api.PluginBuild) {
		build.OnLoad(api.OnLoadOptions{Filter: `/@zumer/snapdom/dist/snapdom\.mjs$`}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			code, err := os.ReadFile(args.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			text, err := applyPatches(string(code), snapdomPatches)
			text = fmt.Sprintf("import { copyOutside } from %q;\n", filepath.ToSlash(sourcePath(root, "shot/outside.ts"))) + text
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, err
		})
	}}
}

// applyPatches returns the text with all patches, or an error if one does not fit.
func applyPatches(text string, patches []patch) (string, error) {
	for _, p := range patches {
		if n := strings.Count(text, p.old); n != 1 {
			return "", fmt.Errorf("a patch does not fit: %q is there %d times, want once", p.old, n)
		}
		text = strings.Replace(text, p.old, p.new, 1)
	}
	return text, nil
}
