// Opens a page and follows its first link, by the tools of MCP. Agents have clients of their own, such as
// the package @modelcontextprotocol/sdk; this one needs nothing but Node 18 or later:
//   node examples/actions/mcp.mjs http://127.0.0.1:9222 https://example.com
import "../failures.mjs"; // says what is missing when the hub has no page

const [hub, url] = process.argv.slice(2);
const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
if (process.env.CDPHUB_TOKEN) headers.Authorization = `Bearer ${process.env.CDPHUB_TOKEN}`;

async function post(message) {
  const answer = await fetch(`${hub}/mcp`, {
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  headers["Mcp-Session-Id"] ??= answer.headers.get("Mcp-Session-Id");
  return answer.text();
}

async function tool(name, args) {
  const text = await post({ id: 2, method: "tools/call", params: { name, arguments: args } });
  const { result, error } = JSON.parse(text.slice(text.indexOf("{"))); // after "data: " where it is an event
  if (error || result.isError) throw new Error(error?.message ?? result.content[0].text);
  return result.content[0].text;
}

await post({
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", clientInfo: { name: "example", version: "1" }, capabilities: {} },
});
await post({ method: "notifications/initialized" });
const page = await tool("browser_navigate", { url });
console.log(page.match(/Page Title: (.*)/)[1]);
const [, name, ref] = page.match(/link "(.*)" \[ref=(\w+)\]/);
const next = await tool("browser_click", { element: name, target: ref });
console.log(`${name}: ${next.match(/Page URL: (.*)/)[1]}`);
await fetch(`${hub}/mcp`, { method: "DELETE", headers });
