// Package jsonrpc speaks the browser.* methods as JSON-RPC 2.0 over a
// WebSocket, one message or batch a text frame.
//
//	> {"jsonrpc":"2.0","id":1,"method":"browser.navigate","params":{"url":"https://example.com"}}
//	< {"jsonrpc":"2.0","id":1,"result":{"url":"https://example.com/","title":"Example Domain","status":200,"loaded":true}}
//	> {"jsonrpc":"2.0","id":2,"method":"browser.click","params":{"target":{"type":"ref","ref_id":"button[0]"}}}
//	< {"jsonrpc":"2.0","id":2,"error":{"code":-32006,"message":"ARIA ref 'button[0]' not found in snapshot","data":{"kind":"ElementNotFound","retryable":true}}}
//
// Where tokens are set and none came with the handshake, the first message is
// the request connect, with the token as params.auth.token, params.token or
// params.shared_token; the fifth wrong one ends the connection, as do 10 s
// without a right one. Ids are strings or numbers and come back as they stand.
// Notifications are carried out and not answered, binary messages ignored.
//
// Every method takes tab_id, the id of a target; without it the tab is meant
// that this connection has navigated or opened last, or else the hub's first.
// Every method that acts on a tab takes timeout_ms: of 30,000 where it is not
// given, but for 5,000 of browser.evaluate and of input.
// Requests on one tab are carried out in order, those on different tabs may
// overtake one another; of one connection at most 64 wait.
package jsonrpc
