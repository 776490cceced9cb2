// Opens a page and follows its first link, by browser.* over JSON-RPC. Node 22 or later:
//   node examples/actions/jsonrpc.mjs http://127.0.0.1:9222 https://example.com
import "../failures.mjs"; // says what is missing when the hub has no page

const [hub, url] = process.argv.slice(2);
const token = process.env.CDPHUB_TOKEN; // where the hub wants one
const socket = new WebSocket(hub.replace("http", "ws") + "/ws");
await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));

const waiting = new Map();
socket.onmessage = ({ data }) => {
  const { id, result, error } = JSON.parse(data);
  const { resolve, reject } = waiting.get(id);
  error ? reject(new Error(`${error.code} ${error.message}`)) : resolve(result);
};

let last = 0;
function call(method, params = {}) {
  const id = ++last;
  socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

if (token) await call("connect", { auth: { token } });
const { title } = await call("browser.navigate", { url });
console.log(title);
const all = (elements) => elements.flatMap((e) => [e, ...all(e.children ?? [])]);
const { elements } = await call("browser.snapshot");
const link = all(elements).find((e) => e.role === "link");
await call("browser.click", { target: { type: "ref", ref_id: link.ref_id } });
const { page_url } = await call("browser.snapshot");
console.log(`${link.name}: ${page_url}`);
socket.close();
