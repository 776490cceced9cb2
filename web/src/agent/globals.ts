// The bundler puts these in the place of the globals of their names, so that
// the agent goes on when a page removes or replaces one of them: Playwright's
// own tests delete Node, and applications ship their own Map or Promise.

export const {
  AbortController, Array, ArrayBuffer, Blob, Boolean, DOMException, DataTransfer, Date, Document, Error, Event, File, FormData, Headers, JSON, Map, Math,
  MessageChannel, Node, NodeFilter, Number, Object, Promise, Proxy, ReadableStream, Reflect, RegExp, Response, Set, ShadowRoot, String, Symbol,
  TextDecoder, TextEncoder, TypeError, URL, URLSearchParams, Uint8Array, WeakMap, WeakRef, WeakSet, WebSocket, XMLSerializer, XPathResult,
  atob, btoa, crypto, isNaN, parseFloat, parseInt, performance,
} = window;
