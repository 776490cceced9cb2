// Searches in texts, for Debugger.searchInContent and Page.searchInResource.

import type { Protocol } from "../../cdp";
import { CommandError } from "../agent";

const MOST = 10_000;

/** The lines of a text that match a query. */
export function search(
  text: string,
  p: { query: string; caseSensitive?: boolean; isRegex?: boolean },
): { result: Protocol.Debugger.SearchMatch[] } {
  const source = p.isRegex ? p.query : p.query.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, p.caseSensitive ? "" : "i");
  } catch (e) {
    throw new CommandError(`The query is no regular expression: ${(e as Error).message}`);
  }
  const result: Protocol.Debugger.SearchMatch[] = [];
  text.split("\n").forEach((lineContent, lineNumber) => {
    if (result.length < MOST && pattern.test(lineContent)) result.push({ lineNumber, lineContent });
  });
  return { result };
}
