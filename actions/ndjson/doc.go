// Package ndjson speaks the NDJSON action API over a WebSocket: one JSON object
// a text frame, in both directions.
//
//	> {"id":"1","action":"page.navigate","params":{"url":"https://example.com"}}
//	< {"id":"1","success":true,"data":{"page_id":"page-1","url":"https://example.com/"}}
//	> {"id":"2","action":"page.fly"}
//	< {"id":"2","success":false,"error":"unknown action: page.fly"}
//	> {"id":3,"method":"page.snapshot"}
//	< {"id":"","success":false,"error":"bad request: invalid type: integer `3`, expected a string"}
//
// An answer without an id belongs to a frame that is no request. It can come before
// the answers to earlier requests. Ids are strings. Requests on one page are carried
// out in order. Those on different pages may overtake each other. At most 64 requests
// of one connection wait. A frame of more than 10 MiB closes it with code 1009.
//
// A session is a hub and has the hub's name; "default" is that of the hub at the
// root. Its pages are "page-1", "page-2" and so on; the id of a target works, too.
// Without page_id, an action is about the page that any connection of the session has
// navigated, opened or activated last. All page actions also take page_id and
// timeout_ms, whose default is 30,000.
package ndjson
