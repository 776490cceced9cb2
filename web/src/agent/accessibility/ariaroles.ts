// Roles of WAI-ARIA 1.2, DPUB-ARIA 1.0 and Graphics-ARIA 1.0, as far as the tree needs them. A test compares them
// with the package aria-query.

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Roles that take no name from the author. */
const NAMELESS = set(
  "caption code deletion doc-pagefooter doc-pageheader emphasis generic insertion mark paragraph presentation " +
    "strong subscript superscript",
);

/** Roles whose name may come from their contents. */
const FROM_CONTENTS = set(
  "button cell checkbox columnheader doc-backlink doc-biblioref doc-glossref doc-noteref graphics-object gridcell " +
    "heading link menuitem menuitemcheckbox menuitemradio option radio row rowgroup rowheader switch tab tooltip " +
    "treeitem",
);

/** Roles that support aria-expanded. */
const EXPANDABLE = set(
  "application button checkbox columnheader combobox doc-abstract doc-acknowledgments doc-afterword doc-appendix " +
    "doc-backlink doc-biblioentry doc-bibliography doc-biblioref doc-chapter doc-colophon doc-conclusion doc-cover " +
    "doc-credit doc-credits doc-dedication doc-endnote doc-endnotes doc-epigraph doc-epilogue doc-errata doc-example " +
    "doc-footnote doc-foreword doc-glossary doc-glossref doc-index doc-introduction doc-noteref doc-notice " +
    "doc-pagebreak doc-pagelist doc-part doc-preface doc-prologue doc-qna doc-subtitle doc-tip doc-toc " +
    "graphics-document graphics-object graphics-symbol gridcell link listbox menuitem menuitemcheckbox menuitemradio " +
    "row rowheader switch tab treeitem",
);

/** The other roles. */
const OTHERS = set(
  "alert alertdialog article banner blockquote complementary contentinfo definition dialog directory doc-pullquote " +
    "document feed figure form grid group img list listitem log main marquee math menu menubar meter navigation none " +
    "note progressbar radiogroup region scrollbar search searchbox separator slider spinbutton status table tablist " +
    "tabpanel term textbox time timer toolbar tree treegrid",
);

/** Whether a word is a role that authors may use. */
export function isRole(word: string): boolean {
  return [NAMELESS, FROM_CONTENTS, EXPANDABLE, OTHERS].some((s) => s.has(word));
}

/** Whether a role's elements have no name. */
export function isNameless(role: string): boolean {
  return NAMELESS.has(role);
}

/** Whether a role's elements may be named by what they contain. */
export function isNamedByContents(role: string): boolean {
  return FROM_CONTENTS.has(role);
}

/** Whether a role supports aria-expanded. */
export function isExpandable(role: string): boolean {
  return EXPANDABLE.has(role);
}

/** Attributes that overrule role=none (WAI-ARIA 1.2, section 7.4). */
const GLOBAL = [
  "aria-atomic",
  "aria-busy",
  "aria-controls",
  "aria-current",
  "aria-describedby",
  "aria-description",
  "aria-details",
  "aria-flowto",
  "aria-keyshortcuts",
  "aria-label",
  "aria-labelledby",
  "aria-live",
  "aria-owns",
  "aria-relevant",
  "aria-roledescription",
];

/** Whether an element has an attribute that overrules role=none. */
export function overrulesNone(el: Element): boolean {
  return GLOBAL.some((a) => el.hasAttribute(a));
}
