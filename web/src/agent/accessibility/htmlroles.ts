// The roles that HTML gives to elements (HTML-AAM), as far as the accessibility tree and the snapshots of action APIs
// have the same. An element's attributes and surroundings may give it another.

/** Inverts a table: each word of a list is a key of the result, and the list's own key is the value. */
export function byWord(lists: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(lists).flatMap(([key, words]) => words.split(" ").map((word) => [word, key])),
  );
}

/** Roles by the tag of the element. */
export const ROLES_OF_TAGS = byWord({
  article: "article",
  blockquote: "blockquote",
  button: "button",
  caption: "caption",
  code: "code",
  definition: "dd",
  deletion: "del",
  dialog: "dialog",
  emphasis: "em",
  figure: "figure",
  group: "details fieldset optgroup",
  heading: "h1 h2 h3 h4 h5 h6",
  insertion: "ins",
  list: "menu ol ul",
  main: "main",
  meter: "meter",
  navigation: "nav",
  option: "option",
  paragraph: "p",
  progressbar: "progress",
  row: "tr",
  rowgroup: "tfoot thead",
  search: "search",
  separator: "hr",
  status: "output",
  strong: "strong",
  subscript: "sub",
  superscript: "sup",
  term: "dfn dt",
  textbox: "textarea",
  time: "time",
});

/** Roles of inputs by their type. */
export const ROLES_OF_INPUTS = byWord({
  button: "button file image reset submit",
  checkbox: "checkbox",
  radio: "radio",
  searchbox: "search",
  slider: "range",
  spinbutton: "number",
});

/** The elements in which a header or a footer is none of the page. */
export const SECTIONING =
  "article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]";
