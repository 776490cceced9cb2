// Package jsonrpc speaks the browser.* methods as JSON-RPC 2.0 over a
// WebSocket, one message or batch a text frame.
//
//	> {"jsonrpc":"2.0","id":1,"method":"browser.navigate","params":{"url":"https://example.com"}}
//	< {"jsonrpc":"2.0","id":1,"result":{"url":"https://example.com/","title":"Example Domain","status":200,"loaded":true}}
//	> {"jsonrpc":"2.0","id":2,"method":"browser.click","params":{"target":{"type":"ref","ref_id":"button[0]"}}}
//	< {"jsonrpc":"2.0","id":2,"error":{"code":-32006,"message":"ARIA ref 'button[0]' not found in snapshot","data":{"kind":"ElementNotFound","retryable":true}}}
//
// Where tokens are set and none came with the handshake, the first message must be
// the request connect, with the token as params.auth.token, params.token or
// params.shared_token. The fifth wrong token closes the connection, and so do 10 s
// without a right one. Ids are strings or numbers and come back as they are.
// Notifications are carried out and not answered. Binary messages are ignored.
//
// Every method takes tab_id, the id of a target. Without it, the tab is the one that
// this connection has navigated or opened last, or else the hub's first. Every method
// that acts on a tab takes timeout_ms. The default is 30,000 ms, and 5,000 ms for
// browser.evaluate and for input. Requests on one tab are carried out in order. Those
// on different tabs may overtake each other. At most 64 requests of one connection
// wait.
package jsonrpc
