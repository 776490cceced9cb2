// Lists the faults that can be put into the TypeScript of a folder, for internal/mutate, as JSON.
//
//   node web/build/faults.mjs web/src/agent
//
// The kinds are those of internal/mutate/faults.go.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** What takes the place of a comparison. */
const opposite = { "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=", ">=": ">" };

const faults = [];
const folder = process.argv[2];
for (const name of readdirSync(folder, { recursive: true })) {
  if (/\.tsx?$/.test(name) && !/\.(test|d)\.ts$/.test(name)) listFaults(join(folder, name));
}
process.stdout.write(JSON.stringify(faults));

/** Adds the faults of a file. */
function listFaults(file) {
  const text = readFileSync(file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const bytes = (end) => Buffer.byteLength(text.slice(0, end));

  const add = (Kind, start, end, Text) => {
    const Line = source.getLineAndCharacterOfPosition(start).line + 1;
    faults.push({ File: file, Line, Start: bytes(start), End: bytes(end), Text, Kind });
  };
  const replace = (kind, node, other) => add(kind, node.getStart(), node.end, other);

  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    faultsOf(node, add, replace);
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Adds the faults of a node; those of its children are not among them. */
function faultsOf(node, add, replace) {
  switch (node.kind) {
    case ts.SyntaxKind.ExpressionStatement:
      replace("statement left out", node, ";");
      break;
    case ts.SyntaxKind.AwaitExpression:
      replace("await left out", node, node.expression.getText());
      break;
    case ts.SyntaxKind.IfStatement:
      changeGuard(node, replace);
      break;
    case ts.SyntaxKind.CaseClause:
      replace("case left out", node, "");
      break;
    case ts.SyntaxKind.BinaryExpression:
      changeOperator(node, replace);
      break;
    case ts.SyntaxKind.ArrayLiteralExpression:
      leaveOutEntries(node.elements, add);
      break;
    case ts.SyntaxKind.ObjectLiteralExpression:
      leaveOutEntries(node.properties, add);
      break;
    case ts.SyntaxKind.CallExpression:
      swapArguments(node.arguments, add);
      break;
    case ts.SyntaxKind.NumericLiteral:
      if (/^\d+$/.test(node.getText())) replace("number by one", node, String(Number(node.text) + 1));
      break;
    case ts.SyntaxKind.TrueKeyword:
      replace("opposite", node, "false");
      break;
    case ts.SyntaxKind.FalseKeyword:
      replace("opposite", node, "true");
      break;
  }
}

/** Leaves out what a guard does, or its return, and negates its condition. */
function changeGuard(node, replace) {
  replace("condition negated", node.expression, `!(${node.expression.getText()})`);
  const body = node.thenStatement;
  const last = ts.isBlock(body) ? body.statements.at(-1) : body;
  const leaves = last && (ts.isReturnStatement(last) || ts.isThrowStatement(last) || ts.isBreakOrContinueStatement(last));
  if (node.elseStatement || !leaves) return;
  replace("guard left out", body, "{}");
  if (ts.isBlock(body) && body.statements.length > 1) replace("return of a guard left out", last, "");
}

/** Leaves out one side of a condition, or turns a comparison round. */
function changeOperator(node, replace) {
  const operator = node.operatorToken.getText();
  if (operator === "&&" || operator === "||") {
    replace("check left out", node, node.left.getText());
    replace("check left out", node, node.right.getText());
  } else if (opposite[operator]) {
    replace(operator.includes("==") ? "condition negated" : "bound by one", node.operatorToken, opposite[operator]);
  }
}

/** Leaves out each entry of a list, with the comma beside it. */
function leaveOutEntries(list, add) {
  for (const [i, entry] of list.entries()) {
    const end = i + 1 < list.length ? list[i + 1].getStart() : entry.end;
    const start = i > 0 && i + 1 === list.length ? list[i - 1].end : entry.getStart();
    add("entry left out", start, end, "");
  }
}

/** Swaps each two neighbours that may have the same type. */
function swapArguments(args, add) {
  for (let i = 1; i < args.length; i++) {
    const [a, b] = [args[i - 1], args[i]];
    if (ts.isFunctionLike(a) || ts.isFunctionLike(b)) continue;
    add("arguments swapped", a.getStart(), b.end, `${b.getText()}, ${a.getText()}`);
  }
}
