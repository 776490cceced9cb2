package main

import (
	"strings"

	"github.com/cdphub/cdphub/internal/bounds"
)

// limitText is what a row of bounds.txt allows, in words.
func limitText(r bounds.Row) string {
	switch r.Kind {
	case "number":
		return "from " + r.Min + " to " + r.Max
	case "items":
		if r.Min != "0" {
			return "from " + r.Min + " to " + r.Max + " elements"
		}
		return "at most " + r.Max + " elements"
	case "never":
		return "not `" + r.Max + "`"
	case "product":
		return "together at most " + r.Max
	}
	if r.Max == "message" {
		return "as large as a message"
	}
	return "at most " + r.Max + " bytes as JSON"
}

// paramName is the name of a param, without what a product takes in its place.
func paramName(name string) string {
	name, instead, is := strings.Cut(name, "|")
	if !is {
		return name
	}
	return name + " (" + instead + " if absent)"
}

// ruleTexts are what the words of the table mean.
var ruleTexts = map[string]string{
	"any":     "any value",
	"web":     "below `privileged`, an address of the web only",
	"flat":    "always sent as `true`",
	"context": "a browser context of the Client, or a shared one",
	"target":  "a target that the Client may see",
	"window":  "a window of a target that the Client may see",
	"session": "a session of the Client",
	"stream":  "a stream that the same session has received",
	"folder":  "below `privileged`, replaced by a folder of the hub",
}

// ruleText is a rule in words.
func ruleText(word string) string {
	if text := ruleTexts[word]; text != "" {
		return text
	}
	if s, instead, is := strings.Cut(word, "-or-"); is {
		return "below `" + s + "`, sent as `" + instead + "`"
	}
	return "needs `" + word + "`, unless the value is empty"
}
