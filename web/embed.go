// Package web holds the browser side: the bundles that pages load from the
// hub. They are made from web/src by web/build and committed, so that
// building the server needs no Node.
package web

import "embed"

// Dist holds the bundles, below "dist":
//
//	agent.js    Frame Agent, a classic script for the app's page
//	dom.js, accessibility.js, input.js, network.js, extras.js
//	            parts of agent.js, which a document loads with the first command that needs them
//	worker.js   agent of workers, which stands in front of their scripts
//	agent.mjs   all of the agent as an ES module, which starts when it is told to
//	host.js     Host library, a classic script with the global CdpHub
//	host.mjs    Host library, an ES module
//	actions.js  page script of package actions, a script with the global CdpHubActions
//	devtools.js what frames answer DevTools; it, shot.js and snapshot.js are loaded on first use
//	*.d.ts      types of the two ES modules, for the npm package
//	home.js     script of the home page
//	dashboard.* script and stylesheet of the dashboard
//	shell.html  ready-made Host page: ?app=URL names its app
//	NOTICE.txt  licences of the third-party software inside
//
//go:embed dist
var Dist embed.FS

// SecretNames are the words by which the page script and the hub know secrets,
// as JSON.
//
//go:embed src/actions/secretnames.json
var SecretNames []byte

// Style is the stylesheet of all pages of the hub.
//
//go:embed style.css
var Style string

// Favicon is their icon, as SVG.
//
//go:embed favicon.svg
var Favicon string
