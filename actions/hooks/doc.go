// Package hooks serves the actions as browser hooks: named functions under three
// scopes, called by name with an object of parameters.
//
// POST /hooks/invoke takes {"name":"browser.snapshot","params":{"browserId":"T1"}}
// and answers {"ok":true,"result":{…}}, or with the status of the error
// {"ok":false,"error":{"code":"BrowserNotFound","message":"…"}}. The WebSocket
// /hooks takes the same with an "id", which the answer repeats; an answer to
// what could not be read has the id null. A page finds rp.browser.<hook> in
// the script /rp.js, which speaks over that WebSocket.
//
// A caller's scope is checked before its parameters. browser.eval needs the scope
// browser:eval, which no token has by default, and consent for the origin of the
// page.
//
// Elements are named by the attribute data-rp-id, which browser.snapshot writes into
// the page. Input goes to that element when it is visible, enabled and not covered.
// Use fill for form fields, also of React and Vue; use type for terminals and for
// search fields that react to each key.
package hooks
