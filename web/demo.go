package web

import "embed"

// Demo holds the pages of the demo, below "demo": index.html, the Host page,
// and the apps form.html, todo.html and list.html, which are templates (see DemoPage
// and DemoApp), and app.css. All have Style, too.
//
//go:embed demo
var Demo embed.FS

// DemoPage is what the Host page of the demo names.
type DemoPage struct {
	Client string // address for Clients
	Hub    string // URL of the bundles, without a slash at the end
	Bridge string // URL of the bridge
	Apps   []DemoApp
}

// DemoApp is what an app's page names.
type DemoApp struct {
	Name   string // its targetId too
	URL    string
	Agent  string // URL of agent.js
	Parent string // origin of the Host page
}
