// Files that a page has its browser save: to a Host that takes files, and to one of version 1, which does not.
const click = (made) => `(() => {
  const link = Object.assign(document.createElement("a"), { href: ${made}, download: "made.txt" });
  document.body.append(link);
  link.click();
  URL.revokeObjectURL(link.href);
})()`;
const made = click(`URL.createObjectURL(new Blob(["made"]))`);

await visit("/app", { html: "<p>" });
await cdp("Page.enable");
await value(made);
const { guid: old } = await event("Browser.downloadWillBegin");
const ended = await event("Browser.downloadProgress");
is([ended.guid, ended.state, ended.suggestedFilename, ended.contents], [old, "completed", "made.txt", btoa("made")]);
is((await event("Page.downloadProgress")).state, "completed");

hub.downloads = true;
await visit("/other", { html: "<p>" });
await cdp("Page.enable");
await event("Page.downloadWillBegin");
await value(made);
const begun = await message("a download", (m) => m.icdp === "download");
is([begun.frameId, begun.suggestedFilename, begun.url.startsWith("blob:")], ["MAIN", "made.txt", true]);
const { guid, content } = await message("the file", (m) => m.icdp === "downloaded");
is([guid, new TextDecoder().decode(content)], [begun.guid, "made"]);
is((await event("Page.downloadWillBegin")).guid, guid);

await value(click(`"/refused?bare=1&status=500"`));
const refused = await message("another download", (m) => m.icdp === "download");
const nothing = await message("its end", (m) => m.icdp === "downloaded");
is([nothing.guid, "content" in nothing], [refused.guid, false]);
is(
  events.filter((m) => m.method?.startsWith("Browser.")),
  [],
  "events for a Host of version 1",
);
