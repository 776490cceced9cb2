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
// An answer without id belongs to a frame that is no request; it overtakes the
// answers to requests before it. Ids are strings. Requests on one page are
// carried out in order, those on different pages may overtake one another; of
// one connection at most 64 wait. Frames beyond 10 MiB end it with code 1009.
//
// A session is a hub, and has its name; that of the hub at the root is
// "default". Its pages are "page-1", "page-2", …; a target's id does as well.
// Without page_id an action is about the page that was last navigated, opened
// or activated by any connection of the session. Params of all page actions
// are also page_id and timeout_ms, of 30,000 where it is not given.
package ndjson
