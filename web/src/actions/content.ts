// The content of the page as HTML, text or Markdown.

import { flatChildren } from "../agent/accessibility/boxes";
import type { ContentResult } from "../wire/verbs";
import { Failure } from "./failure";
import { checkLength } from "./limit";
import {
  address,
  attributeOf,
  REDACTED,
  renderedText,
  say,
  sourceOf,
  redact,
  redactText,
  title,
  type Redacted,
  type RedactedIn,
} from "./redact";
import { isSecretText } from "./secrets";
import { isElement, isText, SILENT, squash } from "./tree";
import { isHidden } from "./view";

export function contentOf(format: string, root?: Element): RedactedIn<ContentResult> {
  const el = root ?? document.documentElement;
  return { content: render(format, el, root === undefined), url: address(), title: title() };
}

function render(format: string, el: Element, whole: boolean): Redacted {
  switch (format) {
    case "html":
      return html(el, whole);
    case "text":
      return renderedText(bodyOf(el));
    case "markdown":
      return redactText(bodyOf(el), markdown(bodyOf(el)));
  }
  throw new Failure(
    "InvalidArgument",
    `bad request: ${JSON.stringify(format)} is no format: use html, text or markdown`,
  );
}

/** The part of an element that is read as content. */
function bodyOf(el: Element): Element {
  return el.localName === "html" ? (document.body ?? el) : el;
}

function html(el: Element, whole: boolean): Redacted {
  const source = sourceOf(el, checkLength);
  const type = document.doctype;
  return whole && type ? say`<!DOCTYPE ${redact(type.name)}>${source}` : source;
}

// ---------------------------------------------------------------- Markdown

function markdown(root: Element): string {
  return blocks(root)
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/**
 * The Markdown of an element's contents. The parts are joined before secrets are removed: a secret may span several.
 */
function blocks(el: Element): string {
  if (isSecretText(el)) return el.textContent ? REDACTED : "";
  let out = "";
  for (const node of flatChildren(el)) {
    if (isText(node)) out += node.data.replace(/[ \t\r\n]+/g, " ");
    else if (isElement(node)) out += block(node);
  }
  return out;
}

const BLOCKS = /^(ul|ol|p|blockquote|div|section|article|table|tr|form|header|footer|main|nav)$/;

function block(el: Element): string {
  if (SILENT.has(el.localName) || isHidden(el)) return "";
  const heading = /^h([1-6])$/.exec(el.localName);
  if (heading) return `\n\n${"#".repeat(Number(heading[1]))} ${squash(blocks(el))}\n\n`;
  switch (el.localName) {
    case "a":
      return link(el as HTMLAnchorElement);
    case "b":
    case "strong":
      return around("**", el);
    case "i":
    case "em":
      return around("*", el);
    case "code":
      return around("`", el);
    case "br":
      return "\n";
    case "hr":
      return "\n\n---\n\n";
    case "li":
      return `\n${item(el)}`;
    case "input":
    case "select":
    case "textarea":
      return "";
    case "pre":
      return `\n\n\`\`\`\n${isSecretText(el) ? REDACTED : (el.textContent ?? "")}\n\`\`\`\n\n`;
    case "td":
    case "th":
      return `${blocks(el).trim()} `;
  }
  if (BLOCKS.test(el.localName)) return `\n\n${blocks(el).trim()}\n\n`;
  return blocks(el);
}

function link(el: HTMLAnchorElement): string {
  const text = squash(blocks(el));
  const href = attributeOf(el, "href");
  return text && href ? `[${text}](${href})` : text;
}

function around(mark: string, el: Element): string {
  const text = squash(blocks(el));
  return text && `${mark}${text}${mark}`;
}

function item(el: Element): string {
  const list = el.parentElement;
  const mark =
    list?.localName === "ol" ? `${[...list.children].indexOf(el) + (list as HTMLOListElement).start}. ` : "- ";
  return mark + blocks(el).trim().replace(/\n+/g, "\n  ");
}
