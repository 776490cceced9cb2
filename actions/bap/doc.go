// Package bap serves the Browser Agent Protocol, version 0.8.0, over package
// actions: JSON-RPC 2.0 in text frames of a WebSocket.
//
//	→ {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"0.8.0","clientInfo":{"name":"a","version":"1"},"capabilities":{}}}
//	← {"jsonrpc":"2.0","result":{"protocolVersion":"0.8.0","serverInfo":{…},"capabilities":{…}},"id":1}
//	→ {"jsonrpc":"2.0","id":2,"method":"action/click","params":{"selector":{"type":"role","role":"button","name":"Save"}}}
//	← {"jsonrpc":"2.0","result":{},"id":2}
//	← {"jsonrpc":"2.0","error":{"code":-32012,"message":"Element not found","data":{"retryable":true,"retryAfterMs":500,"details":{"selector":{…}}}},"id":2}
//	← {"jsonrpc":"2.0","method":"events/console","params":{"pageId":"page-1","level":"error","text":"…"}}
//
// Requests on one page keep their order; those on different pages overlap. A
// session that names itself in initialize outlives its connection by five
// minutes, with its pages' names, refs and subscriptions.
package bap

// Version is the version of the protocol.
const Version = "0.8.0"
