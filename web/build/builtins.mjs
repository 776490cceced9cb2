// Makes a bundle call the built-ins as they were before the page's scripts ran.
//
//   node builtins.mjs [GLOBAL…] < bundle.js > safe.js
//
// JavaScript has no private built-ins: `list.map(f)` calls whatever the page has
// put into Array.prototype.map. Node writes its own modules with uncurried
// copies for that reason ("primordials"). Here the sources stay as everybody
// writes them, and this step rewrites what looks a built-in up:
//
//   list.map(f)            $map(list, f)
//   a?.b.map(f)            $$map(a?.b, f)      undefined for null and undefined
//   for (const x of list)  for (const x of $iterate(list))
//   [...list], f(...list)  [...$iterate(list)], f(...$iterate(list))
//   const [a, b] = list    const [a, b] = $iterate(list)
//   ([a, b]) => a          ({0: a, 1: b}) => a
//   new Map(list)          $new(Map, list)
//   set.size               $size(set)
//   await promise          await $await(promise)
//   new win.Event(type)    new ($global(win, "Event"))(type)
//   const { Event } = win  const Event = $global(win, "Event")
//
// src/agent/base/builtins.ts has these functions. Each GLOBAL is remembered as well: a part makes new ones of it.

import { readFileSync } from "node:fs";
import ts from "typescript";

/** The names of the methods of ECMAScript, and those of the DOM that the agent cannot answer without. */
const methods = new Set([
  ...language(),
  ...("addEventListener removeEventListener dispatchEvent postMessage start close stopImmediatePropagation preventDefault " +
    "stopPropagation composedPath appendChild append prepend before after remove removeChild replaceWith insertBefore " +
    "cloneNode contains compareDocumentPosition getRootNode hasChildNodes getAttribute setAttribute removeAttribute " +
    "hasAttribute toggleAttribute getAttributeNames getAttributeNode matches closest querySelector querySelectorAll " +
    "getElementById getElementsByTagName createElement createElementNS createTextNode createRange createTreeWalker " +
    "createNodeIterator elementFromPoint elementsFromPoint getBoundingClientRect getClientRects scrollIntoView " +
    "attachShadow checkVisibility getAnimations hasPointerCapture getSelection hasFocus nextNode observe disconnect " +
    "takeRecords item getPropertyValue setProperty selectNodeContents selectNode setStart setEnd getRangeAt " +
    "addRange removeAllRanges collapse assignedNodes assignedElements evaluate encode decode getRandomValues getComputedStyle " +
    "focus blur click select setSelectionRange setRangeText execCommand requestSubmit createEvent initTextEvent").split(" "),
]);
/** Accessors that the agent cannot answer without: those of collections and of messages. */
const accessors = new Set(["size", "data", "ports", "origin", "source"]);
/** Constructors that go through what they are given by its iterator, or call a method for each of it. */
const collections = new Set(["Map", "Set", "WeakMap", "WeakSet", "Blob", "File", "Headers", "URLSearchParams", "Uint8Array"]);

/** Names of all methods of the language that this Node has. */
function* language() {
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const value = Object.getOwnPropertyDescriptor(globalThis, name).value;
    const isClass = typeof value === "function" && /^[A-Z]/.test(name);
    if (!isClass && !["JSON", "Math", "Reflect"].includes(name)) continue;
    for (const o of [value, value.prototype])
      for (const key of o ? Object.getOwnPropertyNames(o) : [])
        if (key !== "constructor" && typeof Object.getOwnPropertyDescriptor(o, key).value === "function") yield key;
  }
  yield "next";
}

const source = readFileSync(0, "utf8");
const file = ts.createSourceFile("bundle.js", source, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);

/** What is put before a position, and which text goes. An insertion of a deeper node comes later. */
const edits = [];
const insert = (at, text) => edits.push({ at, end: at, text });
const replace = (at, end, text) => edits.push({ at, end, text });
const used = new Set();
const globals = new Set(process.argv.slice(2));

function helper(name, chained = false) {
  used.add(`${chained ? "$$" : "$"}${name}`);
  return `${chained ? "$$" : "$"}${name}`;
}

/** f(node) around a node's text. */
function surround(node, f) {
  insert(node.getStart(), `${f}(`);
  visit(node);
  insert(node.end, ")");
}

/** What follows in the same optional chain has to be optional by itself. */
function continueChain(node) {
  const { parent } = node;
  if (!ts.isOptionalChain(parent) || parent.expression !== node || parent.questionDotToken) return;
  if (ts.isCallExpression(parent)) insert(node.end, "?.");
  else if (ts.isElementAccessExpression(parent)) insert(node.end, "?.");
  else if (!rewritten(parent)) insert(node.end, "?");
}

/** Whether a property access becomes a call of a helper. */
function rewritten(access) {
  return callOf(access) !== undefined || readsAccessor(access);
}

function callOf(access) {
  const { parent } = access;
  const calls = ts.isCallExpression(parent) && parent.expression === access && !parent.questionDotToken;
  return calls && methods.has(access.name.text) && !isForeign(access.expression) ? parent : undefined;
}

/** Whether it goes by super, or by globalThis: so does code that runs in the page by its text. */
function isForeign(node) {
  if (ts.isPropertyAccessExpression(node)) return isForeign(node.expression);
  return node.kind === ts.SyntaxKind.SuperKeyword || (ts.isIdentifier(node) && node.text === "globalThis");
}

function readsAccessor(access) {
  const { parent } = access;
  if (!accessors.has(access.name.text) || (ts.isCallExpression(parent) && parent.expression === access)) return false;
  const assigned = ts.isBinaryExpression(parent) && parent.left === access && isAssignment(parent);
  const counted = ts.isPostfixUnaryExpression(parent) || (ts.isPrefixUnaryExpression(parent) && parent.operator !== ts.SyntaxKind.ExclamationToken);
  return !assigned && !counted && !ts.isDeleteExpression(parent);
}

function isAssignment(node) {
  return node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment && node.operatorToken.kind <= ts.SyntaxKind.LastAssignment;
}

function visitAccess(node) {
  const receiver = node.expression;
  const call = callOf(node);
  const whole = call ?? node;
  const name = helper(node.name.text, ts.isOptionalChain(whole));
  insert(receiver.getStart(), `${name}(`);
  visit(receiver);
  if (call) {
    replace(receiver.end, call.arguments.pos, call.arguments.length ? "," : "");
    call.arguments.forEach(visit);
  } else replace(receiver.end, node.end, ")");
  continueChain(whole);
}

/** An array pattern as one of an object, for what is an array by itself. */
function visitPattern(pattern) {
  replace(pattern.getStart(), pattern.getStart() + 1, "{");
  pattern.elements.forEach((element, i) => {
    if (ts.isOmittedExpression(element)) {
      const comma = source.indexOf(",", element.pos);
      return replace(comma, comma + 1, "");
    }
    if (element.dotDotDotToken) throw new Error(`a rest element in a pattern: ${pattern.getText()}`);
    insert(element.getStart(), `${i}:`);
    visit(element);
  });
  replace(pattern.end - 1, pattern.end, "}");
}

function inAsync(node) {
  for (let at = node.parent; at; at = at.parent)
    if (ts.isFunctionLike(at)) return !at.asteriskToken && !!at.modifiers?.some((m) => m.kind === ts.SyntaxKind.AsyncKeyword);
  return false;
}

function visit(node) {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && callOf(node.expression)) {
    return visitAccess(node.expression);
  }
  if (ts.isPropertyAccessExpression(node) && readsAccessor(node)) return visitAccess(node);
  if (ts.isForOfStatement(node) && !node.awaitModifier) {
    visit(node.initializer);
    surround(node.expression, helper("iterate"));
    return visit(node.statement);
  }
  if (ts.isSpreadElement(node)) return surround(node.expression, helper("iterate"));
  if (ts.isYieldExpression(node) && node.asteriskToken) return surround(node.expression, helper("iterate"));
  if (ts.isAwaitExpression(node)) return surround(node.expression, helper("await"));
  if (ts.isReturnStatement(node) && node.expression && inAsync(node)) return surround(node.expression, helper("await"));
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body) && node.modifiers?.length) {
    node.parameters.forEach(visit);
    return surround(node.body, helper("await"));
  }
  const found = ts.isVariableDeclaration(node) && destructured(node);
  if (found) return visitDestructured(node, found);
  if (ts.isVariableDeclaration(node) && ts.isArrayBindingPattern(node.name) && node.initializer) {
    ts.forEachChild(node.name, visit);
    return surround(node.initializer, helper("iterate"));
  }
  if (ts.isBinaryExpression(node) && isAssignment(node) && ts.isArrayLiteralExpression(node.left)) {
    return surround(node.right, helper("iterate"));
  }
  if (ts.isArrayBindingPattern(node)) return visitPattern(node);
  if (ts.isPropertyAccessExpression(node) && isGlobal(node)) return visitGlobal(node);
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.arguments?.length && collections.has(plainName(node.expression))) {
    replace(node.getStart(), node.arguments.pos, `${helper("new")}(${node.expression.text},`);
    return node.arguments.forEach(visit);
  }
  ts.forEachChild(node, visit);
}

/** Whether a property access is win.Event of new win.Event(…) or of win.Event.prototype. */
function isGlobal(node) {
  const { parent } = node;
  const used = ts.isNewExpression(parent) || (ts.isPropertyAccessExpression(parent) && parent.name.text === "prototype");
  return used && parent.expression === node && !ts.isOptionalChain(node) && !isForeign(node) && /^[A-Z]/.test(node.name.text);
}

/** Such a global by what the window had. */
function visitGlobal({ expression: win, name, end }) {
  globals.add(name.text);
  insert(win.getStart(), `(${helper("global")}(`);
  visit(win);
  replace(win.end, end, `,"${name.text}"))`);
}

/** The name in const { Event } = win. */
function destructured({ name: pattern, initializer }) {
  if (!ts.isObjectBindingPattern(pattern) || pattern.elements.length !== 1 || !initializer || isForeign(initializer)) return;
  const [{ name, propertyName = name, initializer: otherwise }] = pattern.elements;
  return ts.isIdentifier(name) && !otherwise && /^[A-Z][a-z]/.test(propertyName.text) ? [name.text, propertyName.text] : undefined;
}

function visitDestructured({ name: pattern, initializer }, [name, property]) {
  globals.add(property);
  replace(pattern.getStart(), pattern.end, name);
  insert(initializer.getStart(), `${helper("global")}(`);
  visit(initializer);
  insert(initializer.end, `,"${property}")`);
}

/** The bundler adds a number to a name that is taken. */
function plainName(identifier) {
  return identifier.text.replace(/\d$/, "");
}

visit(file);
let at = 0;
let text = "";
// Sort is stable: insertions at one position keep their order.
for (const e of edits.sort((a, b) => a.at - b.at || (a.end > a.at) - (b.end > b.at))) {
  text += source.slice(at, e.at) + e.text;
  at = e.end;
}
text += source.slice(at);
const own = new Set(["$iterate", "$await", "$new", "$global"]);
const declared = [...used].filter((name) => !own.has(name)).sort();
const made = declared.map((name) => {
  const chained = name.startsWith("$$");
  const property = name.slice(chained ? 2 : 1);
  return `${name}=${accessors.has(property) ? "$reader" : "$caller"}("${property}"${chained ? ",true" : ""})`;
});
process.stdout.write(`$expect("${[...globals].sort().join(" ")}");\nconst ${made.join(",")};\n${text}`);
