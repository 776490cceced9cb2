// Package mcp serves the actions as tools of the Model Context Protocol, named
// and shaped as users of Playwright MCP know them, over streamable HTTP and
// over a pair of streams.
//
// A client asks {"method":"tools/call","params":{"name":"browser_click",
// "arguments":{"target":"e12"}}}. The answer is one text of sections in
// Markdown, and a picture or a file where one was asked for:
//
//	### Result
//	what the tool returns; "### Error" instead when it failed
//	### Ran Playwright code
//	what does the same in Playwright
//	### Open tabs, when they have changed
//	- 0: (current) [Sign up](http://localhost:3000/) (pageId: page-1)
//	### Page
//	- Page URL: http://localhost:3000/
//	- Page Title: Sign up
//	### Modal state
//	- ["alert" dialog with message "Wake up"]: can be handled by browser_handle_dialog
//	### Snapshot
//	```yaml
//	- button "Save" [ref=e12]
//	```
//
// A target is a ref of the latest snapshot, or a selector. Each tool takes an
// optional pageId, since several clients share a hub; without it it acts on
// the client's current page. A client's tabs are the pages that it has opened or
// selected, and those that they have opened.
//
// Each session has a connection of its own to the hub, and one call runs at a
// time. Which tools there are goes by the scope of the caller's token: with
// "readonly" those that only look. browser_evaluate needs "standard", as the
// CDP commands behind it do, and is there where no tokens are needed. Groups of
// tools beyond the usual ones are there for those who ask for them.
//
// Files are sent by content, in both directions; only over streams, where the
// client runs on the same machine, can they also be named by paths below one
// folder to read from, and another one to write to.
package mcp
