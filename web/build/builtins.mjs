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
//   a?.b.map(f)            $maybe($map, a?.b, f)   undefined for null and undefined
//   for (const x of list)  for (const x of $iterate(list))
//   [...list], f(...list)  [...$iterate(list)], f(...$iterate(list))
//   Array.from(list)       $from(Array, $iterate(list))
//   const [a, b] = list    const [a, b] = $iterate(list)
//   ([a, b]) => a          ({0: a, 1: b}) => a
//   new Map(list)          $new(Map, list)
//   set.size               $size(set)
//   await promise          await $await(promise)
//   new win.Event(type)    new ($global(win, "Event"))(type)
//   const { Event } = win  const Event = $global(win, "Event")
//
// and what platform.mjs has marked, since it is of one of the browser's own objects:
//
//   node.$p_parentNode     $read(node, "parentNode")
//   input.$p_value = "a"   $write(input, "value", "a")
//   node.$p_append(child)  $run(node, "append", child)
//   node.$p_moveBefore?.() $may(node, "moveBefore")
//   a?.b.$p_parentNode     $maybe($read, a?.b, "parentNode")
//   new win.$w_Event(type) new ($global(win, "Event"))(type)
//
// or, for a name that is used more often, of a function that the bundle makes for it: $get_parentNode(node).
// src/agent/base/builtins.ts has these functions. Each GLOBAL is remembered as well: a part makes new ones of it.

import { readFileSync } from "node:fs";
import ts from "typescript";

/** The names of the methods of ECMAScript. */
const methods = new Set(language());
/** Accessors of ECMAScript that the agent cannot answer without. */
const accessors = new Set(["size"]);
/** In front of the name of a property of the browser's objects: see platform.mjs. */
const MARK = "$p_";
/** How often a name is used that gets a function of its own. */
const OFTEN = 3;
/** In front of the name of a constructor of a window. */
const WINDOW = "$w_";
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

function helper(name) {
  used.add(`$${name}`);
  return `$${name}`;
}

/** The names of helpers for marked properties, by kind: get, set, call. */
const marked = { get: new Set(), set: new Set(), call: new Set() };
/** How often each is used. */
const counts = new Map();

function kindOf(access) {
  const { parent } = access;
  if (ts.isBinaryExpression(parent) && parent.left === access && isAssignment(parent)) return "set";
  if (!callOf(access)) return "get";
  return parent.questionDotToken ? "may" : "call";
}

(function count(node) {
  if (ts.isPropertyAccessExpression(node) && isMarked(node)) {
    const key = kindOf(node) + node.name.text;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  ts.forEachChild(node, count);
})(file);

/** The function for a marked property, and what comes after its first argument. */
function platform(access) {
  const kind = kindOf(access);
  const name = access.name.text.slice(MARK.length);
  if (kind === "may" || counts.get(kind + access.name.text) < OFTEN) return [helper({ get: "read", set: "write", call: "run", may: "may" }[kind]), `,"${name}"`];
  marked[kind].add(name);
  return [`$${kind}_${name}`, ""];
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
  return isMarked(access) || callOf(access) !== undefined || readsAccessor(access);
}

function isMarked(access) {
  return access.name.text.startsWith(MARK);
}

function callOf(access) {
  const { parent } = access;
  const calls = ts.isCallExpression(parent) && parent.expression === access;
  if (calls && isMarked(access)) return parent;
  return calls && !parent.questionDotToken && methods.has(access.name.text) && !isForeign(access.expression) ? parent : undefined;
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
  const [name, key] = isMarked(node) ? platform(node) : [helper(node.name.text), ""];
  // What reads a property gives undefined for undefined by itself.
  const chained = (call || !isMarked(node)) && (ts.isOptionalChain(node) || (ts.isOptionalChain(whole) && !call?.questionDotToken));
  insert(receiver.getStart(), chained ? `${helper("maybe")}(${name},` : `${name}(`);
  visit(receiver);
  if (call) {
    replace(receiver.end, call.arguments.pos, key + (call.arguments.length ? "," : ""));
    call.arguments.forEach((argument, i) => (i || !isArrayFrom(node) || ts.isObjectLiteralExpression(argument) ? visit(argument) : surround(argument, helper("iterate"))));
  } else replace(receiver.end, node.end, `${key})`);
  continueChain(whole);
}

function isArrayFrom({ expression, name }) {
  return name.text === "from" && ts.isIdentifier(expression) && plainName(expression) === "Array";
}

/** An assignment to a property of the browser's objects. */
function visitAssignment({ left, right }) {
  const [name, key] = platform(left);
  insert(left.getStart(), `${name}(`);
  visit(left.expression);
  replace(left.expression.end, right.getStart(), `${key},`);
  visit(right);
  insert(right.end, ")");
}

/** A constructor of a window. */
function isWindowGlobal(node) {
  return node.name.text.startsWith(WINDOW);
}

function visitWindowGlobal({ expression: win, name, end }) {
  const global = name.text.slice(WINDOW.length);
  globals.add(global);
  insert(win.getStart(), `(${helper("global")}(`);
  visit(win);
  replace(win.end, end, `,"${global}"))`);
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
  if (ts.isPropertyAccessExpression(node) && isWindowGlobal(node)) return visitWindowGlobal(node);
  if (ts.isBinaryExpression(node) && isAssignment(node) && ts.isPropertyAccessExpression(node.left) && isMarked(node.left)) return visitAssignment(node);
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && callOf(node.expression)) {
    return visitAccess(node.expression);
  }
  if (ts.isPropertyAccessExpression(node) && (isMarked(node) || readsAccessor(node))) return visitAccess(node);
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
const own = new Set(["$iterate", "$await", "$new", "$global", "$maybe", "$read", "$write", "$run", "$may"]);
const helpers = [...used].filter((name) => !own.has(name)).sort();
const declare = (names, prefix, make) =>
  names.length ? [`[${names.map((name) => prefix + name)}]=$iterate(${make}("${names.join(" ")}"))`] : [];
const plainNames = helpers.map((name) => name.slice(1));
const made = [
  ...declare(plainNames.filter((name) => !accessors.has(name)), "$", "$methods"),
  ...plainNames.filter((name) => accessors.has(name)).map((name) => `$${name}=$reader("${name}")`),
];
const makers = { get: "$getters", set: "$setters", call: "$callers" };
for (const [kind, set] of Object.entries(marked)) {
  made.push(...declare([...set].sort(), `$${kind}_`, makers[kind]));
}
process.stdout.write(`$expect("${[...globals].sort().join(" ")}");\nconst ${made.join(",")};\n${text}`);
