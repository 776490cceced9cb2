// Script in the page, and what it says.

import { app, expect, pageOf, test } from "../fixtures.mjs";

test("evaluate: values of every kind come back", async ({ page }) => {
  const values = await page.evaluate(() => ({
    n: [1.5, -0, NaN, Infinity], s: "é漢", b: true, nothing: null, u: undefined, d: new Date(0), r: /a/gi,
    big: 12345678901234567890n, list: [[1], {}], e: new Error("x").message, map: new Map([[1, 2]]).size,
  }));
  expect(values).toEqual({
    n: [1.5, -0, NaN, Infinity], s: "é漢", b: true, nothing: null, u: undefined, d: new Date(0), r: /a/gi,
    big: 12345678901234567890n, list: [[1], {}], e: "x", map: 1,
  });
});

test("evaluate: takes arguments", async ({ page }) => {
  expect(await page.evaluate(({ a, list }) => a + list.length, { a: 40, list: [1, 2] })).toBe(42);
  expect(await page.evaluate((x) => Object.is(x, -0), -0)).toBe(true);
});

test("evaluate: an expression, as a program", async ({ page }) => {
  expect(await page.evaluate("1 + 2")).toBe(3);
  expect(await page.evaluate("var v = 4; v * v")).toBe(16);
});

test("evaluate: cycles and windows", async ({ page }) => {
  const cyclic = await page.evaluate(() => { const a = { name: "a" }; a.self = a; return a; });
  expect(cyclic.self).toBe(cyclic);
  expect(await page.evaluate(() => window)).toBe("ref: <Window>");
});

test("evaluate: a large value", async ({ page }) => {
  const text = await page.evaluate(() => "x".repeat(3_000_000));
  expect(text).toHaveLength(3_000_000);
});

test("evaluate errors: have message and stack", async ({ page }) => {
  const error = await page.evaluate(() => { throw new TypeError("broken"); }).catch((e) => e);
  expect(error.message).toContain("TypeError: broken");
  expect(await page.evaluate("not a program").catch((e) => e.message)).toContain("SyntaxError");
});

test("evaluate errors: what is thrown may be anything", async ({ page }) => {
  expect(await page.evaluate(() => { throw { a: 1 }; }).catch((e) => e.message)).toContain("Object");
  expect(await page.evaluate(() => { throw 5; }).catch((e) => e.message)).toContain("5");
});

test("evaluate errors: the document goes", async ({ page }) => {
  const lost = page.evaluate(() => new Promise(() => {})).catch((e) => e.message);
  await page.goto(pageOf("<p>next</p>"));
  expect(await lost).toContain("Execution context was destroyed");
});

test("evaluate promises: are awaited", async ({ page }) => {
  expect(await page.evaluate(() => new Promise((f) => setTimeout(() => f("later"), 50)))).toBe("later");
  expect(await page.evaluate(async () => (await fetch("/json")).json())).toEqual({ a: 1 });
  const error = await page.evaluate(() => Promise.reject(new Error("refused"))).catch((e) => e.message);
  expect(error).toContain("refused");
});

test("evaluate: a script's event is trusted", async ({ show, inFrame }) => {
  const page = await show("<button onclick='document.title=event.isTrusted'>x</button>");
  await page.click("button");
  await expect(page).toHaveTitle(String(!inFrame()));
});

test("handles: of objects", async ({ page }) => {
  const handle = await page.evaluateHandle(() => ({ a: { b: 1 }, f: () => 2 }));
  expect(await handle.evaluate((o) => o.a.b + o.f())).toBe(3);
  const a = await handle.getProperty("a");
  expect(await a.jsonValue()).toEqual({ b: 1 });
  expect([...(await handle.getProperties()).keys()]).toEqual(["a", "f"]);
  await handle.dispose();
  await expect(handle.evaluate((o) => o)).rejects.toThrow();
});

test("handles: of elements", async ({ show }) => {
  const page = await show("<ul><li class=x>one<li>two</ul>");
  const list = await page.$("ul");
  expect(await (await list.$("li")).innerText()).toBe("one");
  expect(await list.$$eval("li", (items) => items.map((i) => i.textContent))).toEqual(["one", "two"]);
  expect(await page.$eval(".x", (e, suffix) => e.textContent + suffix, "!")).toBe("one!");
  expect(await page.$("none")).toBeNull();
  expect(await (await list.$("li")).getAttribute("class")).toBe("x");
});

test("handles: passed as arguments", async ({ show }) => {
  const page = await show("<p>a</p>");
  const p = await page.$("p");
  expect(await page.evaluate(({ e, n }) => e.tagName + n, { e: p, n: 1 })).toBe("P1");
});

test("handles: are gone with their document", async ({ show }) => {
  const page = await show("<p>a</p>");
  const p = await page.$("p");
  await page.reload();
  await expect(p.textContent()).rejects.toThrow(/destroyed|navigation/);
});

test("handles: know what is in view, and their box", async ({ show }) => {
  const page = await show("<div style='position:absolute;left:11px;top:22px;width:33px;height:44px'></div><p hidden>x</p>");
  expect(await page.locator("div").boundingBox()).toEqual({ x: 11, y: 22, width: 33, height: 44 });
  expect(await page.locator("p").boundingBox()).toBeNull();
  expect(await page.isVisible("div")).toBe(true);
  expect(await page.isHidden("p")).toBe(true);
});

test("expose function: the page calls the client", async ({ page }) => {
  await page.exposeFunction("double", (n) => n * 2);
  expect(await page.evaluate(() => double(21))).toBe(42);
  await page.goto(pageOf("<script>window.early = double(2)</script>"));
  expect(await page.evaluate(() => window.early)).toBe(4);
});

test("expose function: its error reaches the page", async ({ page }) => {
  await page.exposeFunction("fail", () => { throw new Error("no way"); });
  expect(await page.evaluate(() => fail().catch((e) => e.message))).toBe("no way");
});

test("expose function: a binding knows its page", async ({ page }) => {
  await page.exposeBinding("where", ({ page: source }) => source === page);
  expect(await page.evaluate(() => where())).toBe(true);
});

test("init script: runs before the page's own", async ({ page }) => {
  await page.addInitScript(() => { window.first = "set"; });
  await page.goto(pageOf("<script>document.title = window.first</script>"));
  await expect(page).toHaveTitle("set");
  await page.reload();
  await expect(page).toHaveTitle("set");
});

test("init script: of the context, with an argument", async ({ context, page }) => {
  await context.addInitScript((n) => { window.given = n; }, 7);
  await page.goto(pageOf(""));
  expect(await page.evaluate(() => window.given)).toBe(7);
});

test("init script: in frames too", async ({ page }) => {
  await page.addInitScript(() => { window.first = true; });
  await page.goto(pageOf(`<iframe src="${pageOf("<script>document.title=window.first</script>")}"></iframe>`));
  expect(await page.frames()[1].title()).toBe("true");
});

test("console: types, texts and places", async ({ page }) => {
  const got = [];
  page.on("console", (m) => got.push([m.type(), m.text()]));
  await page.evaluate(() => {
    console.log("a", 1, true);
    console.warn("w");
    console.error("e");
    console.info("i");
    console.debug({ a: 1 }, [1, 2]);
  });
  await expect.poll(() => got).toEqual([["log", "a 1 true"], ["warning", "w"], ["error", "e"], ["info", "i"], ["debug", "{a: 1} [1, 2]"]]);
});

test("console: arguments are handles", async ({ page }) => {
  const message = page.waitForEvent("console");
  await page.evaluate(() => console.log("x", { deep: { er: [1] } }));
  const args = (await message).args();
  expect(await args[1].jsonValue()).toEqual({ deep: { er: [1] } });
});

test("console: where a message comes from", async ({ page, inFrame }) => {
  const message = page.waitForEvent("console");
  await page.goto(pageOf("<script>console.log('placed')</script>"));
  expect((await message).location().url).toBe(inFrame() ? "" : page.url());
});

test("page error: thrown and rejected", async ({ show }) => {
  const page = await show("");
  const errors = [];
  page.on("pageerror", (e) => errors.push(e.message));
  await page.evaluate(() => {
    setTimeout(() => { throw new Error("thrown"); });
    setTimeout(() => Promise.reject(new Error("rejected")), 20);
  });
  await expect.poll(() => errors).toEqual(["thrown", "rejected"]);
});

test("dialog: an alert blocks the page until it is answered", async ({ show }) => {
  const page = await show("<button onclick='alert(\"hi\");document.title=\"after\"'>x</button>");
  const dialog = page.waitForEvent("dialog");
  const click = page.click("button");
  expect((await dialog).type()).toBe("alert");
  expect((await dialog).message()).toBe("hi");
  await (await dialog).accept();
  await click;
  await expect(page).toHaveTitle("after");
});

test("dialog: a question, both ways", async ({ show }) => {
  const page = await show("<button onclick='document.title=confirm(\"sure?\")'>x</button>");
  page.once("dialog", (d) => d.accept());
  await page.click("button");
  await expect(page).toHaveTitle("true");
  page.once("dialog", (d) => d.dismiss());
  await page.click("button");
  await expect(page).toHaveTitle("false");
});

test("dialog: a prompt, with its preset text", async ({ show }) => {
  const page = await show("<button onclick='document.title=String(prompt(\"name\",\"preset\"))'>x</button>");
  page.once("dialog", async (d) => {
    expect(d.defaultValue()).toBe("preset");
    await d.accept("Ann");
  });
  await page.click("button");
  await expect(page).toHaveTitle("Ann");
  page.once("dialog", (d) => d.dismiss());
  await page.click("button");
  await expect(page).toHaveTitle("null");
});

test("dialog: without a listener it is dismissed", async ({ show }) => {
  const page = await show("<button onclick='document.title=confirm(\"sure?\")'>x</button>");
  await page.click("button");
  await expect(page).toHaveTitle("false");
});

test("dialog: of evaluate", async ({ page }) => {
  page.once("dialog", (d) => d.accept("typed"));
  expect(await page.evaluate(() => prompt("?"))).toBe("typed");
});

test("evaluate: a page whose policy forbids eval", async ({ page }) => {
  await page.goto(pageOf("<p>strict</p>", { csp: `script-src 'self' ${new URL(app).origin} http://127.0.0.1:* 'nonce-x'` }));
  expect(await page.evaluate(() => document.querySelector("p").textContent)).toBe("strict");
});

test("evaluate: where the page has replaced built-ins", async ({ show }) => {
  const page = await show(`<button onclick="this.title = 'pressed'">Press</button><script>
    Array.prototype.map = Array.prototype.push = Promise.prototype.finally = null;
    MessagePort.prototype.postMessage = EventTarget.prototype.addEventListener = () => { throw new Error("replaced"); };
  </script>`);
  expect(await page.evaluate(() => 1 + 1)).toBe(2);
  const session = await page.context().newCDPSession(page);
  const { root } = await session.send("DOM.getDocument", { depth: -1 });
  expect(root.children.at(-1).children.length).toBe(2);
  expect(Array.isArray(await page.context().cookies())).toBe(true);
});

test("evaluate: in a dedicated worker", async ({ page }) => {
  const coming = page.waitForEvent("worker");
  const logged = page.waitForEvent("console");
  await page.evaluate(() => {
    window.worker = new Worker(URL.createObjectURL(new Blob(["console.log('up', self.name)"], { type: "text/javascript" })), { name: "mine" });
  });
  const worker = await coming;
  expect(worker.url()).toContain("blob:");
  expect((await logged).text()).toBe("up mine");
  expect(await worker.evaluate((by) => typeof importScripts + by, 1)).toBe("function1");
  const failure = page.waitForEvent("pageerror");
  await worker.evaluate(() => void setTimeout(() => { throw new Error("late"); }));
  expect((await failure).message).toBe("late");
  expect(page.workers()).toHaveLength(1);
  const closed = worker.waitForEvent("close");
  await page.evaluate(() => window.worker.terminate());
  await closed;
  expect(page.workers()).toHaveLength(0);
});
