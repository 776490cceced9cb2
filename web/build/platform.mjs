// Marks what agent code reads, sets and calls of the browser's own objects, by their types.
//
//   node platform.mjs FOLDER… > marked.json
//
// A page may define what it likes: `var parent`, a form field named "target", a custom element with its own
// `attributes`. So agent code must reach no global, and no property of a node, a window or an event, but by what was
// taken before the page's scripts ran. Whether `o.target` is such a property depends on the type of o, which a bundle
// has no more. So this step asks TypeScript's checker, and marks the sources before they are bundled:
//
//   node.parentNode                        node.$p_parentNode
//   const { value, form } = field;         const value = field.$p_value, form = field.$p_form;
//   ({ name }: Attr) => name               ($t1: Attr) => {const name=$t1.$p_name;return name}
//   innerWidth                             window.$p_innerWidth
//
// builtins.mjs turns the marks of a bundle into calls of functions in src/agent/base/builtins.ts, which go by tables of
// what the interfaces had before the page's scripts ran. The result has the text of each file, the interfaces of the
// marked names, and those names that windows have. The build fails at what this step cannot make safe.

import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

const MARK = "$p_";
/** What no script can replace: own properties that are not configurable ([LegacyUnforgeable] in Web IDL, ECMA-262). */
const unforgeable = new Set(["window", "document", "location", "top", "globalThis", "isTrusted", "undefined", "NaN", "Infinity"]);
/** Interfaces whose own properties are found before those of a page's prototype: names of CSS properties, keys of data. */
const named = new Set(["CSSStyleDeclaration", "DOMStringMap", "Location"]);
/** Interfaces of tools: no class or element of a page has their properties, and a page replaces one only on purpose. */
const tools =
  /^(URL|URLSearchParams|Performance\w*|XMLHttpRequest\w*|Headers|Request|Response\.?|Readable\w*|Abort\w*|Blob|File|SecurityPolicy\w*|ErrorEvent|PromiseRejectionEvent|CaretPosition|VisualViewport|DOMMatrix\w*|ValidityState|UserActivation|Navigator|ServiceWorkerContainer|XPathResult|XMLSerializer|WebSocket|EventSource|CSSRuleList|ClipboardItem)$/;

const config = ts.getParsedCommandLineOfConfigFile("tsconfig.json", {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail });
const folders = process.argv.slice(2).map((folder) => path.resolve(folder) + (folder.endsWith(".ts") ? "" : path.sep));
const sources = config.fileNames.filter((name) => folders.some((folder) => name.startsWith(folder)) && !/\.(test|check)\.ts$/.test(name));
const program = ts.createProgram(sources, config.options);
const checker = program.getTypeChecker();

/** Names that the bundler replaces by what was taken: src/agent/globals.ts. */
const injected = new Set(readFileSync("src/agent/globals.ts", "utf8").match(/^ {2}\w+(?=,$)/gm).map((name) => name.trim()));

/** The interfaces that have a marked name, which are those of its declarations. */
const holders = new Map();
const problems = [];

function fail(diagnostic) {
  throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
}

const isLibrary = (declaration) => /[\\/]lib\.(dom|webworker)[\w.]*\.d\.ts$/.test(declaration.getSourceFile().fileName);

// ------------------------------------------------------------- interfaces

/** Interfaces that the browser has objects of: there is a global of the name, with a prototype. */
const objects = new Set();
/** What each mixin is included in, such as ParentNode in Element. */
const includers = new Map();
const bases = new Map();
/** The names of all interfaces that TypeScript knows. */
const lib = new Set();

for (const file of program.getSourceFiles()) {
  if (!/[\\/]lib\.dom\.d\.ts$/.test(file.fileName)) continue;
  ts.forEachChild(file, (node) => {
    if (ts.isVariableStatement(node)) {
      for (const { name, type } of node.declarationList.declarations)
        if (type && ts.isTypeLiteralNode(type) && type.members.some((m) => m.name?.getText() === "prototype")) objects.add(name.text);
    }
    if (!ts.isInterfaceDeclaration(node)) return;
    lib.add(node.name.text);
    for (const clause of node.heritageClauses ?? [])
      for (const { expression } of clause.types) {
        includers.set(expression.getText(), [...(includers.get(expression.getText()) ?? []), node.name.text]);
        bases.set(node.name.text, [...(bases.get(node.name.text) ?? []), expression.getText()]);
      }
  });
}

/** The interfaces with a prototype that has what an interface or mixin declares. */
function holdersOf(name) {
  if (objects.has(name) || !lib.has(name)) return [name];
  if (/^(NodeList|HTMLCollection)(Of|Base)$/.test(name)) return [name.replace(/(Of|Base)$/, "")];
  if (name === "Window" || name === "WindowOrWorkerGlobalScope") return ["Window"];
  return [...new Set((includers.get(name) ?? []).flatMap(holdersOf))];
}

function inherits(name, from) {
  return (bases.get(name) ?? []).some((base) => base === from || inherits(base, from));
}

/** The interfaces that declare a symbol as a property or method of their objects; undefined if it is no such. */
function declarers(symbol) {
  const found = (symbol?.declarations ?? []).filter((declaration) => isLibrary(declaration) || isOurs(declaration));
  const names = found.flatMap((declaration) => {
    const { parent } = declaration;
    if (ts.isInterfaceDeclaration(parent)) return holdersOf(parent.name.text);
    if (ts.isTypeLiteralNode(parent) && ts.isVariableDeclaration(parent.parent)) return statics(parent.parent.name.text, symbol.name);
    // declare var innerWidth: number, of which the type of globalThis consists.
    return ts.isVariableDeclaration(declaration) || ts.isFunctionDeclaration(declaration) ? ["Window"] : [];
  });
  return names.filter((name) => !tools.test(name) && (!named.has(name) || (isMethod(symbol) && name !== "Location")));
}

/** Whether our sources declare it for one of the browser's interfaces, which TypeScript does not know yet. */
function isOurs({ parent }) {
  if (!ts.isInterfaceDeclaration(parent)) return false;
  const from = (parent.heritageClauses ?? []).flatMap((clause) => clause.types.map((type) => type.expression.getText()));
  const global = (parent.parent.parent?.flags ?? 0) & ts.NodeFlags.GlobalAugmentation;
  return !!global || from.some((name) => objects.has(name));
}

/** Functions of a constructor, such as URL.createObjectURL. Its constants cannot be replaced. */
function statics(name, property) {
  return property === "prototype" || /^[A-Z_\d]+$/.test(property) ? [] : [`${name}.`];
}

function isMethod(symbol) {
  return symbol.declarations.some((d) => ts.isMethodSignature(d) || ts.isFunctionDeclaration(d));
}

/** Notes the interfaces of a name and returns its mark; undefined for what is no property of the browser's objects. */
function mark(symbol) {
  if (!symbol || unforgeable.has(symbol.name) || symbol.name === "forEach") return; // builtins.mjs knows forEach
  const names = declarers(symbol);
  if (!names.length) return;
  if (/^[A-Z]|^console$/.test(symbol.name) && names.every((name) => name === "Window")) return `$w_${symbol.name}`;
  const all = holders.get(symbol.name) ?? new Set();
  for (const name of names) all.add(name);
  holders.set(symbol.name, all);
  return MARK + symbol.name;
}

// ------------------------------------------------------------------ files

function markFile(file) {
  const edits = [];
  let temporaries = 0;
  const source = file.text;
  const replace = (at, end, text) => edits.push({ at, end, text });
  const refuse = (node, what) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    problems.push(`${path.relative(".", file.fileName)}:${line + 1}: ${what}: ${node.getText().slice(0, 100)}`);
  };

  function visit(node) {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isPropertyAccessExpression(node)) markAccess(node);
    else if (ts.isElementAccessExpression(node)) checkElement(node);
    else if (ts.isObjectBindingPattern(node)) {
      if (marksPattern(node)) return visitPattern(node);
    } else if (ts.isIdentifier(node)) markGlobal(node);
    ts.forEachChild(node, visit);
  }

  function markAccess(node) {
    const symbol = checker.getSymbolAtLocation(node.name);
    if (takes(node, symbol)) return;
    const { parent } = node;
    const marked = mark(symbol);
    if (!marked || (marked.startsWith("$w_") && !asConstructor(node))) return;
    if (ts.isBinaryExpression(parent) && parent.left === node && isAssignment(parent)) {
      if (isWindow(node.expression)) return; // it defines something for the page
      if (parent.operatorToken.kind !== ts.SyntaxKind.EqualsToken) refuse(parent, "an assignment that reads");
    }
    if (ts.isDeleteExpression(parent) || ts.isPostfixUnaryExpression(parent)) refuse(parent, "a change in place");
    replace(node.name.getStart(), node.name.end, marked);
  }

  /** Whether it makes an object, or asks for its kind. Other code wraps it before the page's scripts run. */
  function asConstructor(node) {
    const { parent } = node;
    return ts.isNewExpression(parent) || (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword);
  }

  /** Whether it reads a function without calling it: so does code that wraps it before the page's scripts run. */
  function takes(node, symbol) {
    const { parent } = node;
    const called = ts.isCallExpression(parent) && parent.expression === node;
    return !called && isBrowserMethod(symbol);
  }

  function isBrowserMethod(symbol) {
    return !!symbol?.declarations?.some((d) => isLibrary(d) || isOurs(d)) && isMethod(symbol);
  }

  function isWindow(expression) {
    return checker.getTypeAtLocation(expression).getNonNullableType().getProperty("frameElement") !== undefined;
  }

  function checkElement(node) {
    const type = checker.getTypeAtLocation(node.expression).getNonNullableType();
    const declared = type.symbol?.declarations?.some(isLibrary) && objects.has(type.symbol.name) && !named.has(type.symbol.name);
    if (!declared) return;
    const key = checker.getTypeAtLocation(node.argumentExpression);
    if (!(key.flags & ts.TypeFlags.NumberLike)) refuse(node, "a property by a computed name");
  }

  /** Whether a pattern takes properties of the browser's objects. */
  function marksPattern(pattern) {
    const type = patternType(pattern);
    return pattern.elements.some((e) => !e.dotDotDotToken && marksElement(type, e));
  }

  function marksElement(type, element) {
    const symbol = propertyOf(type, element);
    return symbol && !isBrowserMethod(symbol) && !unforgeable.has(symbol.name) && declarers(symbol).length > 0;
  }

  function patternType(pattern) {
    const { parent } = pattern;
    const from = ts.isVariableDeclaration(parent) && parent.initializer;
    return from ? checker.getTypeAtLocation(from) : checker.getTypeAtLocation(pattern);
  }

  function propertyOf(type, { propertyName, name }) {
    const key = propertyName ?? name;
    return ts.isIdentifier(key) ? checker.getPropertyOfType(type.getNonNullableType(), key.text) : undefined;
  }

  /** The declarations that a pattern becomes. */
  function declarationsOf(pattern, from) {
    const type = patternType(pattern);
    return pattern.elements.map((element) => {
      const { name, propertyName = name, initializer, dotDotDotToken } = element;
      if (!ts.isIdentifier(name) || !ts.isIdentifier(propertyName) || initializer || dotDotDotToken) refuse(pattern, "a pattern that is not plain");
      const symbol = propertyOf(type, element);
      const property = symbol && !isBrowserMethod(symbol) ? mark(symbol) : undefined;
      return `${name.getText()}=${from}.${property ?? propertyName.getText()}`;
    });
  }

  function visitPattern(pattern) {
    const { parent } = pattern;
    if (ts.isVariableDeclaration(parent) && parent.initializer) {
      const { initializer } = parent;
      const plain = ts.isIdentifier(initializer) && !isGlobal(initializer);
      const from = plain ? initializer.text : `$t${++temporaries}`;
      replace(parent.getStart(), initializer.getStart(), plain ? "" : `${from}=`);
      if (plain) replace(initializer.getStart(), initializer.end, "");
      else visit(initializer);
      return replace(initializer.end, initializer.end, `${plain ? "" : ","}${declarationsOf(pattern, from)}`);
    }
    const from = `$t${++temporaries}`;
    const declared = `const ${declarationsOf(pattern, from)};`;
    replace(pattern.getStart(), pattern.end, from);
    if (ts.isVariableDeclaration(parent)) {
      const loop = parent.parent.parent;
      if (ts.isForOfStatement(loop)) return declareIn(loop.statement, declared);
    } else if (ts.isParameter(parent) && parent.parent.body) {
      if (parent.initializer) visit(parent.initializer);
      return declareIn(parent.parent.body, declared);
    }
    refuse(pattern, "a pattern here");
  }

  /** Puts declarations in front of a body, whose own text is visited where it stands. */
  function declareIn(body, text) {
    if (ts.isBlock(body)) return replace(body.getStart() + 1, body.getStart() + 1, text);
    const returns = ts.isExpression(body) ? "return " : "";
    replace(body.getStart(), body.getStart(), `{${text}${returns}`);
    let { end } = body;
    if (ts.isExpression(body) && source[body.pos] === "(") end = body.end;
    replace(end, end, returns ? ";}" : "}");
  }

  /** Whether an identifier is a global of the browser. */
  function isGlobal(node) {
    const { parent } = node;
    if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
    const declares = ((ts.isVariableDeclaration(parent) || ts.isParameter(parent) || ts.isBindingElement(parent) ||
      ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent) || ts.isPropertyDeclaration(parent)) && (parent.name === node || parent.propertyName === node));
    if (declares || ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return false;
    const symbol = ts.isShorthandPropertyAssignment(parent) ? checker.getShorthandAssignmentValueSymbol(parent) : checker.getSymbolAtLocation(node);
    return symbol?.declarations?.some((d) => /[\\/]typescript[\\/]lib[\\/]lib\./.test(d.getSourceFile().fileName) && (ts.isVariableDeclaration(d) || ts.isFunctionDeclaration(d))) ?? false;
  }

  function markGlobal(node) {
    if (!isGlobal(node) || unforgeable.has(node.text) || injected.has(node.text)) return;
    const symbol = checker.getSymbolAtLocation(node);
    if (/^[A-Z]/.test(node.text)) return refuse(node, "a constructor that src/agent/globals.ts does not take");
    const shorthand = ts.isShorthandPropertyAssignment(node.parent);
    const actual = shorthand ? checker.getShorthandAssignmentValueSymbol(node.parent) : symbol;
    const marked = mark(actual) ?? node.text;
    replace(node.getStart(), node.end, `${shorthand ? `${node.text}:` : ""}window.${marked}`);
  }

  visit(file);
  let at = 0;
  let text = "";
  for (const e of edits.sort((a, b) => a.at - b.at || a.end - b.end)) {
    text += source.slice(at, e.at) + e.text;
    at = Math.max(at, e.end);
  }
  return text + source.slice(at);
}

function isAssignment(node) {
  return node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment && node.operatorToken.kind <= ts.SyntaxKind.LastAssignment;
}

const files = {};
for (const file of program.getSourceFiles()) {
  if (!file.isDeclarationFile && folders.some((folder) => file.fileName.startsWith(folder))) files[file.fileName] = markFile(file);
}
if (problems.length) {
  process.stderr.write(`not safe from what a page defines:\n${problems.join("\n")}\n`);
  process.exit(1);
}
/** What agent code goes through, of which no name is marked. */
const table = new Set(["CSSRuleList", "DOMRectList", "DOMTokenList", "FormData", "HTMLCollection", "Headers", "NamedNodeMap", "NodeList", "StyleSheetList", "URLSearchParams"]);
/** All interfaces, but those whose names are all inherited from another one. */
for (const all of holders.values())
  for (const holder of all) if (holder !== "Window" && ![...all].some((other) => inherits(holder, other))) table.add(holder.replace(/\.$/, ""));
const ofWindow = [...holders].filter(([, all]) => all.has("Window")).map(([name]) => name);
process.stdout.write(JSON.stringify({ files, interfaces: [...table].sort().join(" "), ofWindow: ofWindow.sort().join(" ") }));
