/// <reference types="node" />

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToView } from "../api/wire";
import { listenToKeyboard } from "./keyboard";

/** A field, and what its keyboard says: a word for each message. */
function listening() {
  const field = Object.assign(new EventTarget(), { value: "" });
  const said: string[] = [];
  const word = (m: ToView): string =>
    m.kind === "key" ? `${m.type} ${m.code} ${m.modifiers}` : m.kind === "paste" ? `paste ${m.text}` : m.kind;
  const end = listenToKeyboard(field as never, (m) => said.push(word(m)));
  const fire = (type: string, more: object = {}): boolean => {
    const event = new Event(type, { cancelable: true });
    Object.defineProperty(event, "timeStamp", { value: (more as { at?: number }).at ?? 0 });
    return field.dispatchEvent(Object.assign(event, { getModifierState: () => false }, more));
  };
  const take = (): string[] => said.splice(0);
  return { field, fire, take, end };
}

const a = {
  key: "a",
  code: "KeyA",
  keyCode: 65,
  location: 0,
  ctrlKey: false,
  altKey: false,
  metaKey: false,
  shiftKey: false,
};

test("a key is sent when it is pressed and released, and the field does not get it", () => {
  const { fire, take } = listening();
  assert.equal(fire("keydown", a), false);
  assert.equal(fire("keyup", a), false);
  assert.deepEqual(take(), ["keyDown KeyA 0", "keyUp KeyA 0"]);
  assert.equal(fire("keyup", a), true, "the press was not sent");
  assert.deepEqual(take(), []);
});

test("keys that are held are released when the field loses the focus, and at the end", () => {
  const { fire, take, end } = listening();
  fire("keydown", { ...a, shiftKey: true });
  take();
  fire("blur");
  assert.deepEqual(take(), ["keyUp KeyA 0"]);
  fire("blur");
  fire("keyup", a);
  assert.deepEqual(take(), [], "it is released once");
  fire("keydown", a);
  take();
  end();
  assert.deepEqual(take(), ["keyUp KeyA 0"]);
  fire("keydown", a);
  assert.deepEqual(take(), [], "it listens no more");
});

test("text that is composed or pasted is sent as text, once it is complete", () => {
  const { field, fire, take } = listening();
  field.value = "に";
  fire("input", { isComposing: true });
  assert.deepEqual(take(), []);
  fire("compositionend");
  assert.deepEqual(take(), ["paste に"]);
  assert.equal(field.value, "");
  fire("input");
  assert.deepEqual(take(), [], "nothing is left of it");
  assert.equal(fire("paste", { clipboardData: { getData: () => "x y" } }), false);
  assert.deepEqual(take(), ["paste x y"]);
});

test("Escape twice releases the page", () => {
  const { fire, take } = listening();
  const escape = { ...a, key: "Escape", code: "Escape", keyCode: 27 };
  fire("keydown", { ...escape, at: 1000 });
  fire("keyup", escape);
  fire("keydown", { ...escape, at: 1100 });
  assert.equal(take().at(-1), "release");
});
