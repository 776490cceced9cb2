// Mouse, keyboard and forms, by hand.
import assert from "node:assert/strict";
import { check, click, evaluate, middle, node } from "./shared.mjs";
import { seen, text, truth, value } from "../support.mjs";

check("click", "Input.dispatchMouseEvent", async ({ client }) => {
  await click(client, ...await middle(client, "#plus"));
  await truth(text("count"), "1");
  await truth(seen("plus", "mousedown", "mouseup", "click"), ["mousedown", "mouseup", "click"]);
});

check("dblclick", "clickCount 2", async ({ client }) => {
  const point = await middle(client, "#twice");
  await click(client, ...point);
  await click(client, ...point, { clickCount: 2 });
  await truth(text("twice"), "Pressed twice");
});

check("hover", "mouseMoved", async ({ client }) => {
  const [x, y] = await middle(client, "#hover");
  await client.Input.dispatchMouseEvent({ type: "mouseMoved", x, y });
  await truth(text("hover"), "Inside");
});

check("mouse wheel", "mouseWheel", async ({ client }) => {
  await client.Input.dispatchMouseEvent({ type: "mouseWheel", x: 400, y: 600, deltaX: 0, deltaY: 300 });
  await truth("scrollY", 300);
});

check("type", "keyDown, char and insertText", async ({ client }) => {
  await client.DOM.focus({ nodeId: await node(client, "#name") });
  for (const key of ["A", "d"]) {
    await client.Input.dispatchKeyEvent({ type: "keyDown", key, text: key });
    await client.Input.dispatchKeyEvent({ type: "keyUp", key });
  }
  await client.Input.dispatchKeyEvent({ type: "char", text: "a" });
  await client.Input.insertText({ text: " Lovelace" });
  await truth(value("name"), "Ada Lovelace");
});

check("press", "Enter submits the form", async ({ client }) => {
  await client.DOM.focus({ nodeId: await node(client, "#name") });
  await client.Input.insertText({ text: "Ada" });
  const enter = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 };
  await client.Input.dispatchKeyEvent({ type: "keyDown", text: "\r", ...enter });
  await client.Input.dispatchKeyEvent({ type: "keyUp", ...enter });
  await truth(text("saved"), "Saved Ada, free, small, terms false");
});

check("drag", "mouse down, moves and up", async ({ client }) => {
  const [from, to] = [await middle(client, "#card"), await middle(client, "#bin")];
  const at = ([x, y]) => ({ x, y, button: "left", buttons: 1, clickCount: 1 });
  await client.Input.dispatchMouseEvent({ type: "mousePressed", ...at(from) });
  for (const part of [0.2, 0.6, 1]) {
    await client.Input.dispatchMouseEvent({ type: "mouseMoved", ...at(from.map((v, i) => v + (to[i] - v) * part)) });
  }
  await client.Input.dispatchMouseEvent({ type: "mouseReleased", ...at(to) });
  await truth(text("bin"), "Got the card");
});

check("touch", "Input.dispatchTouchEvent", async ({ client }) => {
  await evaluate(client, "addEventListener('touchstart', (event) => seen.push(['touchstart', event.target.id]), true)");
  const [x, y] = await middle(client, "#plus");
  await client.Input.dispatchTouchEvent({ type: "touchStart", touchPoints: [{ x, y }] });
  await client.Input.dispatchTouchEvent({ type: "touchEnd", touchPoints: [] });
  await truth(seen("plus", "touchstart"), ["touchstart"]);
});

check("keyboard shortcuts", "Control+A as a command of the editor", async ({ client }) => {
  await client.DOM.focus({ nodeId: await node(client, "#name") });
  await client.Input.insertText({ text: "Grace" });
  const key = { key: "a", code: "KeyA", windowsVirtualKeyCode: 65, modifiers: 2 };
  await client.Input.dispatchKeyEvent({ type: "rawKeyDown", ...key, commands: ["selectAll"] });
  await client.Input.dispatchKeyEvent({ type: "keyUp", ...key });
  await client.Input.insertText({ text: "Ada" });
  await truth(value("name"), "Ada");
});

check("fill", "what is there is selected and typed over", async ({ client }) => {
  await evaluate(client, "document.getElementById('name').value = 'Grace'; document.getElementById('name').select()");
  await client.Input.insertText({ text: "Ada" });
  await truth(value("name"), "Ada");
});

check("check", "a click on the checkbox", async ({ client }) => {
  await click(client, ...await middle(client, "#terms"));
  await truth("document.getElementById('terms').checked", true);
});

check("select", "a letter chooses the option", async ({ client }) => {
  await client.DOM.focus({ nodeId: await node(client, "#plan") });
  await client.Input.dispatchKeyEvent({ type: "keyDown", key: "T", text: "T" });
  await client.Input.dispatchKeyEvent({ type: "keyUp", key: "T" });
  await truth(value("plan"), "team");
});
