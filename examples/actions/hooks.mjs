// Has a page follow its first link, by browser hooks. A page gets rp by <script src="…/rp.js">,
// and Node 22 or later like this:
//   node examples/actions/hooks.mjs http://127.0.0.1:9222 https://example.com
import "../failures.mjs"; // says what is missing when the hub has no page

const [hub, url] = process.argv.slice(2);
Object.assign(globalThis, { RP_HUB: `${hub}/`, RP_TOKEN: process.env.CDPHUB_TOKEN });
await import(`data:text/javascript,${encodeURIComponent(await (await fetch(`${hub}/rp.js`)).text())}`);

const { browsers } = await rp.browser.list();
const browserId = browsers[0].id; // every hook wants to know which
const { title } = await rp.browser.navigate({ browserId, url });
console.log(title);
const { markdown } = await rp.browser.snapshot({ browserId });
const [, elementId, name] = markdown.match(/^\[(\w+) link .*?\] (.*)$/m);
const { snapshot } = await rp.browser.click({ browserId, elementId, returnSnapshot: true });
console.log(`${name}: ${snapshot.url}`);
process.exit();
