// Opens a page and follows its first link, by the NDJSON action API. Node 22 or later:
//   node examples/actions/ndjson.mjs http://127.0.0.1:9222 https://example.com
import "../failures.mjs"; // says what is missing when the hub has no page

const [hub, url] = process.argv.slice(2);
const token = process.env.CDPHUB_TOKEN; // where the hub wants one
const socket = new WebSocket(hub.replace("http", "ws") + "/ndjson", token ? [`bearer.${token}`] : []);
await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));

const waiting = new Map();
socket.onmessage = ({ data: text }) => {
  const { id, success, data, error } = JSON.parse(text);
  const { resolve, reject } = waiting.get(id);
  success ? resolve(data) : reject(new Error(error));
};

let last = 0;
function act(action, params) {
  const id = String(++last); // a text: numbers are refused
  socket.send(JSON.stringify({ id, action, params }));
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

await act("page.navigate", { url });
const { title, tree_yaml } = await act("page.snapshot");
console.log(title);
const [, name, ref] = tree_yaml.match(/link "(.*)" \[ref=(\w+)\]/);
const clicked = await act("page.click", { ref });
console.log(`${name}: ${clicked.url}`);
socket.close();
