// Whether a table has data or only lays out a page. The rules are those that Chromium documents in
// AXNodeObject::IsDataTable.

import { styleOf } from "../../flattree";

/** Whether the table is one of data. */
export function isDataTable(table: HTMLTableElement): boolean {
  if (table.isContentEditable || table.hasAttribute("role")) return true;
  if (table.caption || table.tHead || table.tFoot || table.summary || table.rules) return true;
  if (table.querySelector(":scope > colgroup, :scope > col")) return true;
  const rows = table.rows;
  if (rows.length >= 20) return true;
  if (rows.length === 0 || (rows.length === 1 && rows[0].cells.length <= 1)) return false;
  return cellsTell(table);
}

/** Whether headers, borders or backgrounds of the cells make it a data table. */
function cellsTell(table: HTMLTableElement): boolean {
  const color = styleOf(table).backgroundColor;
  let cells = 0;
  const sides = { full: 0, top: 0, bottom: 0, left: 0, right: 0, color: 0 };
  for (const row of table.rows) {
    for (const cell of row.cells) {
      if (cell.localName === "th" || ["headers", "abbr", "axis", "scope"].some((a) => cell.hasAttribute(a)))
        return true;
      if (cell.offsetWidth === 0 || cell.offsetHeight === 0) continue;
      cells++;
      const s = styleOf(cell);
      if (s.emptyCells === "hide") return true;
      count(s, sides, color);
    }
  }
  if (cells <= 1) return false;
  const half = Math.floor(cells / 2);
  return Object.values(sides).some((n) => n >= Math.max(half, 1));
}

function count(s: CSSStyleDeclaration, sides: Record<string, number>, tableColor: string): void {
  const [top, bottom, left, right] = [s.borderTopWidth, s.borderBottomWidth, s.borderLeftWidth, s.borderRightWidth].map(
    (w) => parseFloat(w) > 0,
  );
  if (top) sides.top++;
  if (bottom) sides.bottom++;
  if (left) sides.left++;
  if (right) sides.right++;
  if ((top && bottom) || (left && right)) sides.full++;
  if (s.backgroundColor !== tableColor && !/, 0\)$|transparent/.test(s.backgroundColor)) sides.color++;
}
