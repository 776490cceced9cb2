// Documents of data: URLs. The agent comes into one by its address.

/** Whether an address is a data: URL of a document that can have an agent. */
export function isDataDocument(url: string): boolean {
  return /^data:\s*text\/html\b[^,]*,/i.test(url);
}

/** The data: URL of a document with one more element, which comes first, after a doctype if there is one. */
export function addElement(url: string, element: Element): string {
  const [, type, base64, data, fragment] = /^([^,]*?)(;base64)?,([^#]*)(.*)/s.exec(url) as RegExpExecArray;
  const text = base64 ? escape(atob(decodeURIComponent(data))) : data; // byte by byte, as a URL has them
  const doctype = /^(\s|%20|%0A)*(<|%3C)!doctype.*?(>|%3E)/is.exec(text)?.[0] ?? "";
  return `${type},${doctype}${encodeURIComponent(element.outerHTML)}${text.slice(doctype.length)}${fragment}`;
}
