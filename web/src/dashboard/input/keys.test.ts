/// <reference types="node" />

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Key, keyInput, leavesToBrowser, modifiers, mouseInput, wheelInput } from "./keys";

function key(name: string, more: Partial<Key> = {}, held: string[] = []): Key {
  return {
    key: name,
    code: "",
    keyCode: 0,
    location: 0,
    repeat: false,
    isComposing: false,
    altKey: false,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    getModifierState: (m) => held.includes(m),
    ...more,
  };
}

test("a key has text if it types some", () => {
  for (const [e, text] of [
    [key("a"), "a"],
    [key("A", { shiftKey: true }), "A"],
    [key("\u{1F600}"), "\u{1F600}"],
    [key("Enter"), "\r"],
    [key("Tab"), undefined],
    [key("F5"), undefined],
    [key("a", { ctrlKey: true }), undefined],
    [key("a", { metaKey: true }), undefined],
    [key("@", { ctrlKey: true, altKey: true }, ["AltGraph"]), "@"],
  ] as const)
    assert.equal(keyInput("keyDown", e).text, text, e.key);
  assert.equal(keyInput("keyUp", key("a")).text, undefined);
});

test("a key keeps its code, place and modifiers", () => {
  const e = key("1", { code: "Numpad1", keyCode: 97, location: 3, shiftKey: true, altKey: true, repeat: true });
  assert.deepEqual(keyInput("keyUp", e), {
    kind: "key",
    type: "keyUp",
    key: "1",
    code: "Numpad1",
    windowsVirtualKeyCode: 97,
    nativeVirtualKeyCode: 97,
    modifiers: 9,
    autoRepeat: true,
    isKeypad: true,
    location: 3,
  });
  assert.equal(modifiers(key("x", { altKey: true, ctrlKey: true, metaKey: true, shiftKey: true })), 15);
});

test("what input methods and pastes need is left to the browser", () => {
  for (const [e, left] of [
    [key("a"), false],
    [key("c", { ctrlKey: true }), false],
    [key("v", { ctrlKey: true }), true],
    [key("V", { metaKey: true, shiftKey: true }), true],
    [key("Insert", { shiftKey: true }), true],
    [key("Dead"), true],
    [key("Process", { keyCode: 229 }), true],
    [key("Unidentified", { keyCode: 229 }), true],
    [key("a", { isComposing: true }), true],
  ] as const)
    assert.equal(leavesToBrowser(e), left, e.key);
});

const none = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };

test("mouse", () => {
  const at = { x: 3, y: 4 };
  const press = mouseInput("mousePressed", at, { ...none, button: 2, buttons: 2, detail: 2 });
  assert.deepEqual([press.x, press.y, press.button, press.buttons, press.clickCount], [3, 4, "right", 2, 2]);
  const move = mouseInput("mouseMoved", at, { ...none, button: 0, buttons: 0, detail: 0 });
  assert.deepEqual([move.button, move.clickCount], ["none", 0]);
  assert.equal(mouseInput("mouseMoved", at, { ...none, button: 0, buttons: 1, detail: 0 }).button, "left");
});

test("a wheel turns by pixels, lines or pages", () => {
  const e = { ...none, button: 0, buttons: 0, detail: 0, deltaX: 0, deltaY: 3 };
  for (const [deltaMode, deltaY] of [
    [0, 3],
    [1, 120],
    [2, 1800],
  ] as const)
    assert.equal(wheelInput({ x: 0, y: 0 }, { ...e, deltaMode }, 600).deltaY, deltaY);
});
