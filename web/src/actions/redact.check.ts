// What must not compile: a text of the page in the answer of a reader.

import type { Reader } from "./index";
import { address, say, valueOf, word } from "./redact";

export const good: Reader[] = [
  () => ({ url: address(), list: [say`a ${word("b")}`, 1, null] }),
  () => valueOf(document.body),
];

export const leaks: Reader[] = [
  // @ts-expect-error the title as it is
  () => document.title,
  // @ts-expect-error a text within an answer
  () => ({ url: address(), names: [document.location.href] }),
  // @ts-expect-error in a promise
  async () => ({ text: await Promise.resolve(document.body.innerText) }),
];

// @ts-expect-error a text of the page among the script's own
export const line = say`- ${document.title}`;

// @ts-expect-error a text that is no word of the script's own
export const name = word(document.title);
