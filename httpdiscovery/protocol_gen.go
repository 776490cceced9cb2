//go:build ignore

// Writes protocol.json: the names, types and enumerations of the DevTools
// protocol, out of the npm package devtools-protocol, without its prose.
package main

import (
	"encoding/json"
	"log"
	"os"
)

const source = "../web/node_modules/devtools-protocol/json/"

// protocol is one file of the package.
type protocol struct {
	Version json.RawMessage `json:"version"`
	Domains []any           `json:"domains"`
}

func main() {
	var all protocol
	for _, name := range []string{"browser_protocol.json", "js_protocol.json"} {
		raw, err := os.ReadFile(source + name)
		if err != nil {
			log.Fatal(err, "; run npm ci in web first")
		}
		var p protocol
		if err := json.Unmarshal(raw, &p); err != nil {
			log.Fatal(name, ": ", err)
		}
		all.Version = p.Version
		all.Domains = append(all.Domains, p.Domains...)
	}
	stripDescriptions(all.Domains)
	out, err := json.Marshal(all)
	if err == nil {
		err = os.WriteFile("protocol.json", append(out, '\n'), 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// stripDescriptions removes every description, but not a property of that name.
func stripDescriptions(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			stripDescriptions(item)
		}
	case map[string]any:
		if _, text := v["description"].(string); text {
			delete(v, "description")
		}
		for _, member := range v {
			stripDescriptions(member)
		}
	}
}
