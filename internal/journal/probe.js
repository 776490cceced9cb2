(x, y) => {
  const doc = globalThis.document;
  const acts = "button, a[href], input, select, textarea, option, label, summary, [role], [contenteditable], [onclick], [data-testid], h1, h2, h3, h4, h5, h6, img";
  const squeeze = (s) => (s || "").replace(/\s+/g, " ").trim();
  const text = (ids) => squeeze(ids.split(/\s+/).map((id) => doc.getElementById(id)?.textContent || "").join(" "));
  const inputs = { checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", button: "button", submit: "button", reset: "button", image: "button" };
  const noRole = new Set(["password", "date", "time", "datetime-local", "month", "week", "color", "file", "hidden"]);
  const tags = { button: "button", summary: "", select: "combobox", textarea: "textbox", option: "option", h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading", img: "img", nav: "", li: "listitem", td: "cell", th: "columnheader" };
  const role = (e) => {
    const own = e.getAttribute("role");
    if (own) return own.trim().split(/\s+/)[0];
    const tag = e.localName;
    if (tag === "a") return e.hasAttribute("href") ? "link" : "";
    if (tag === "select") return e.multiple || e.size > 1 ? "listbox" : "combobox";
    if (tag === "input") return noRole.has(e.type) ? "" : inputs[e.type] || (e.hasAttribute("list") ? "combobox" : "textbox");
    if (e.isContentEditable && e.getAttribute("contenteditable") !== null) return "textbox";
    return tags[tag] || "";
  };
  const labelled = (e) => {
    if (!e.labels || !e.labels.length) return "";
    return squeeze([...e.labels].map((l) => {
      const copy = l.cloneNode(true);
      for (const inner of copy.querySelectorAll("input, select, textarea, button")) inner.remove();
      return copy.textContent;
    }).join(" "));
  };
  // Only of these the name comes from what is inside: what is inside a field was typed.
  const fromContent = new Set(["button", "link", "heading", "option", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "checkbox", "radio", "switch", "cell", "columnheader", "treeitem", "listitem"]);
  const nameOf = (e, r) => {
    const by = e.getAttribute("aria-labelledby");
    if (by && text(by)) return text(by);
    const own = squeeze(e.getAttribute("aria-label"));
    if (own) return own;
    if (e.localName === "input" && ["button", "submit", "reset"].includes(e.type)) return squeeze(e.value) || { submit: "Submit", reset: "Reset" }[e.type] || "";
    const label = labelled(e);
    if (label) return label;
    if (e.localName === "img" || e.type === "image") return squeeze(e.getAttribute("alt"));
    if (fromContent.has(r)) {
      const inside = squeeze(e.innerText === undefined ? e.textContent : e.innerText);
      if (inside) return inside;
      const image = e.querySelector("img[alt], [aria-label]");
      if (image) return squeeze(image.getAttribute("aria-label") || image.getAttribute("alt"));
    }
    return squeeze(e.getAttribute("title") || e.getAttribute("placeholder"));
  };
  const one = (s) => {
    try {
      return doc.querySelectorAll(s).length === 1;
    } catch {
      return false;
    }
  };
  const css = (e) => {
    const esc = globalThis.CSS.escape;
    const parts = [];
    for (let at = e; at && at.localName !== "html"; at = at.parentElement) {
      if (at.id && one(`#${esc(at.id)}`)) {
        parts.unshift(`#${esc(at.id)}`);
        break;
      }
      const same = at.parentElement ? [...at.parentElement.children].filter((c) => c.localName === at.localName) : [at];
      parts.unshift(same.length > 1 ? `${at.localName}:nth-of-type(${same.indexOf(at) + 1})` : at.localName);
      if (one(parts.join(" > "))) break;
    }
    return parts.join(" > ");
  };
  // Which one of those that people know by the same words, from 1; 0: it is the only one.
  const nth = (e, r, name) => {
    if (!r || !name) return 0;
    const all = [...doc.querySelectorAll(acts)].filter((o) => role(o) === r && o.getClientRects().length);
    if (all.length > 300) return 0;
    const same = all.filter((o) => nameOf(o, r) === name);
    return same.length > 1 ? same.indexOf(e) + 1 : 0;
  };
  const describe = (e, px, py) => {
    if (!e || e === doc.body || e === doc.documentElement) return null;
    const r = role(e);
    const box = e.getBoundingClientRect();
    const secret = e.localName === "input" && e.type === "password";
    const name = r ? nameOf(e, r) : "";
    return { role: r, name, nth: nth(e, r, name), label: labelled(e) || squeeze(e.getAttribute("aria-label")), placeholder: squeeze(e.getAttribute("placeholder")), testId: e.getAttribute("data-testid") || "", css: css(e), secret, dx: Math.round(px - box.left), dy: Math.round(py - box.top) };
  };
  // The element that people mean is the nearest one with a part to play.
  let under = doc.elementFromPoint(x, y);
  while (under?.shadowRoot?.elementFromPoint(x, y) && under.shadowRoot.elementFromPoint(x, y) !== under) under = under.shadowRoot.elementFromPoint(x, y);
  const target = under && (under.closest(acts) || under);
  let focus = doc.activeElement;
  while (focus?.shadowRoot?.activeElement) focus = focus.shadowRoot.activeElement;
  return { under: describe(target, x, y), focus: describe(focus, 0, 0) };
}
