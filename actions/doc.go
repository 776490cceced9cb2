// Package actions does on a hub's pages what people do with a browser: it
// goes to addresses, reads pages, clicks, types.
//
//	b, err := actions.Open(ctx, srv.Join(""), actions.Options{})
//	page, err := b.NewPage(ctx, "https://app.example/", "")
//	_, err = page.Click(ctx, actions.Role{Role: "button", Name: "Save"}, actions.ClickOptions{})
//
// Each verb exists once, named as in Playwright and WebDriver, over an
// in-process CDP session. The adapters below this folder only give it an
// envelope and their own names.
//
// A click shows the order of what most verbs do. Page.Click checks its options. runInput waits until
// earlier input of the page is done; attachToDocument makes the session, and refuses a page at an
// address where none may be. findPoint calls the page script in the frame of the element: worldOf
// installs the script, callScriptIn calls it again and again until the element can be hit, and
// frameOffset adds where the frame is. sendClick sends all events of the mouse at once, through sendInput,
// callCommands and sendCommands. Follow waits for the document to which the click leads.
//
// A page may be a tab of a real browser or a frame with the Frame Agent. Both
// take the same commands. What a frame cannot do, its agent refuses at once,
// and the call fails with Unsupported.
package actions
