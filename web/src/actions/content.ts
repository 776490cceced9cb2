// The content of the page as HTML, text or Markdown.

import { Failure } from "./failure";
import { checkLength } from "./limit";
import { isSecretText, redactCopy, REDACTED, redactTokens, scrub } from "./redact";
import { childrenOf, isElement, isText, SILENT, squash } from "./tree";
import { isHidden } from "./view";

export interface Content {
  content: string;
  url: string;
  title: string;
}

export function contentOf(format: string, root?: Element): Content {
  const el = root ?? document.documentElement;
  return { content: render(format, el, root === undefined), url: location.href, title: document.title };
}

function render(format: string, el: Element, whole: boolean): string {
  switch (format) {
    case "html": return html(el, whole);
    case "text": return readable(el, plain);
    case "markdown": return readable(el, markdown);
  }
  throw new Failure("InvalidArgument", `bad request: ${JSON.stringify(format)} is no format: use html, text or markdown`);
}

/** What is in an element, as words to read. */
function readable(el: Element, as: (el: Element) => string): string {
  const from = el.localName === "html" ? (document.body ?? el) : el;
  const text = as(from);
  return text && isSecretText(from) ? REDACTED : scrub(document, text);
}

function html(el: Element, whole: boolean): string {
  const copy = el.cloneNode(true) as Element;
  redactCopy(el, copy);
  const source = copy.outerHTML;
  checkLength(source); // before it is searched, which takes long
  const text = redactTokens(source);
  const type = document.doctype;
  return whole && type ? `<!DOCTYPE ${type.name}>${text}` : text;
}

function plain(el: Element): string {
  return (el as HTMLElement).innerText ?? squash(el.textContent ?? "");
}

// ---------------------------------------------------------------- Markdown

function markdown(root: Element): string {
  return blocks(root).replace(/[ \t]+\n/g, "\n").replace(/\n{3,}/g, "\n\n").trim();
}

function blocks(el: Element): string {
  let out = "";
  for (const node of childrenOf(el)) {
    if (isText(node)) out += node.data.replace(/[ \t\r\n]+/g, " ");
    else if (isElement(node)) out += block(node);
  }
  return out;
}

function block(el: Element): string {
  if (SILENT.has(el.localName) || isHidden(el)) return "";
  const heading = /^h([1-6])$/.exec(el.localName);
  if (heading) return `\n\n${"#".repeat(Number(heading[1]))} ${squash(blocks(el))}\n\n`;
  switch (el.localName) {
    case "a": return link(el as HTMLAnchorElement);
    case "b": case "strong": return around("**", el);
    case "i": case "em": return around("*", el);
    case "code": return around("`", el);
    case "br": return "\n";
    case "hr": return "\n\n---\n\n";
    case "li": return `\n${item(el)}`;
    case "ul": case "ol": return `\n\n${blocks(el).trim()}\n\n`;
    case "p": case "blockquote": case "div": case "section": case "article": case "table": case "tr": case "form": case "header": case "footer": case "main": case "nav":
      return `\n\n${blocks(el).trim()}\n\n`;
    case "pre": return `\n\n\`\`\`\n${el.textContent ?? ""}\n\`\`\`\n\n`;
    case "td": case "th": return `${blocks(el).trim()} `;
    case "input": case "select": case "textarea": return "";
  }
  return blocks(el);
}

function link(el: HTMLAnchorElement): string {
  const text = squash(blocks(el));
  const href = el.getAttribute("href");
  return text && href ? `[${text}](${href})` : text;
}

function around(mark: string, el: Element): string {
  const text = squash(blocks(el));
  return text && `${mark}${text}${mark}`;
}

function item(el: Element): string {
  const list = el.parentElement;
  const mark = list?.localName === "ol" ? `${[...list.children].indexOf(el) + (list as HTMLOListElement).start}. ` : "- ";
  return mark + blocks(el).trim().replace(/\n+/g, "\n  ");
}
