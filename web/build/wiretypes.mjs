// Prints the interfaces and unions of files of src/wire as JSON, as the TypeScript compiler understands them:
//
//	node web/build/wiretypes.mjs bridge cdp
//	{"Ready":{"kind":"object","doc":"…","fields":[{"name":"v","optional":false,"doc":"1.","text":"number","type":{"kind":"number"}}]},
//	 "HostMessage":{"kind":"object","members":["Ready"]}}
//
// internal/wiretest compares them with the types of Go.

import { fileURLToPath } from "node:url";
import ts from "typescript";

const files = process.argv.slice(2).map((name) => fileURLToPath(new URL(`../src/wire/${name}.ts`, import.meta.url)));
const program = ts.createProgram(files, { strict: true, target: ts.ScriptTarget.ES2022, types: [] });
const checker = program.getTypeChecker();
const declared = new Map(); // symbols of the files, by name

for (const file of files) {
  const [wrong] = program.getSemanticDiagnostics(program.getSourceFile(file));
  if (wrong) throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(wrong.messageText, "\n")}`);
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))) {
    if (!(symbol.flags & ts.SymbolFlags.Type)) continue;
    if (declared.has(symbol.name)) throw new Error(`two files declare ${symbol.name}`);
    declared.set(symbol.name, symbol);
  }
}

const primitives = [
  [ts.TypeFlags.StringLike, "string"],
  [ts.TypeFlags.NumberLike, "number"],
  [ts.TypeFlags.BooleanLike, "boolean"],
  [ts.TypeFlags.Null, "null"],
  [ts.TypeFlags.Object, "object"],
];

/** What JSON has for a type. A type that may be null has the kind of its other values; "any" stands for several kinds. */
function describe(type) {
  if (type.isUnion()) {
    const values = type.types.filter((t) => !(t.flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)));
    if (values.length === 1) return describe(values[0]);
    const kinds = new Set(values.map((t) => describe(t).kind));
    return { kind: kinds.size === 1 ? [...kinds][0] : "any" };
  }
  if (checker.isArrayType(type) || checker.isTupleType(type)) {
    return { kind: "array", items: describe(checker.getTypeArguments(type)[0]) };
  }
  const kind = primitives.find(([flag]) => type.flags & flag)?.[1] ?? "any";
  if (kind !== "object") return type.isStringLiteral() ? { kind, literal: type.value } : { kind };
  const own = declared.get(type.symbol.name) === type.symbol;
  if (own && checker.getTypeArguments(type).length === 0) return { kind, name: type.symbol.name };
  return own || type.symbol.flags & ts.SymbolFlags.TypeLiteral ? { kind, fields: fields(type) } : { kind };
}

function fields(type) {
  return checker.getPropertiesOfType(type).map((p) => ({
    name: p.name,
    optional: (p.flags & ts.SymbolFlags.Optional) !== 0,
    doc: comment(p),
    text: p.valueDeclaration?.type?.getText().replace(/\s+/g, " "),
    type: describe(checker.getTypeOfSymbol(p)),
  }));
}

function comment(symbol) {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, " ");
}

const dump = {};
for (const [name, symbol] of declared) {
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  if (type.isUnion()) dump[name] = { kind: "object", members: type.types.map((t) => t.symbol.name) };
  else if (symbol.flags & ts.SymbolFlags.Interface) dump[name] = { kind: "object", doc: comment(symbol), fields: fields(type) };
}
console.log(JSON.stringify(dump));
