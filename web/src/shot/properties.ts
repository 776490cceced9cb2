// Which properties a copy of an element is drawn by. In the picture `all: unset` stands before every rule, so that only
// what differs is written: from the parent for properties that are inherited, from the initial value for others. The
// initial values are those of Chromium 156. A value that is unknown here is written, and a property that is unknown to
// the browser is left out.

const words = (text: string): string[] => text.trim().split(/\s+/);

/** The longhands of `font`, which is compared as a whole. */
export const FONT = words(
  "font-family font-size font-weight font-style font-stretch font-variant font-feature-settings font-kerning " +
    "font-optical-sizing font-variation-settings font-size-adjust font-palette line-height",
);
export const INHERITED = words(
  "color visibility direction writing-mode letter-spacing word-spacing text-align text-align-last text-indent " +
    "text-transform text-shadow text-rendering text-justify text-wrap-mode text-wrap-style white-space-collapse " +
    "word-break overflow-wrap line-break hyphens hyphenate-character tab-size text-orientation text-combine-upright " +
    "list-style-type list-style-position list-style-image border-collapse border-spacing caption-side empty-cells quotes " +
    "text-emphasis-style text-emphasis-color text-emphasis-position text-underline-position text-underline-offset " +
    "text-decoration-skip-ink -webkit-text-fill-color -webkit-text-stroke-color -webkit-text-stroke-width " +
    "-webkit-text-security -webkit-locale color-scheme accent-color image-rendering image-orientation ruby-position " +
    "ruby-align ruby-overhang text-autospace text-spacing-trim scrollbar-color caret-color orphans widows paint-order " +
    "font-synthesis text-box-edge math-style math-depth math-shift",
);
/** The inherited properties of SVG content. */
export const INHERITED_SVG = words(
  "fill fill-opacity fill-rule stroke stroke-opacity stroke-width stroke-dasharray stroke-dashoffset stroke-linecap " +
    "stroke-linejoin stroke-miterlimit clip-rule color-interpolation color-interpolation-filters shape-rendering " +
    "text-anchor dominant-baseline marker-start marker-mid marker-end",
);

/** Properties with their initial values; "color" is the colour of the text. */
type Table = [name: string, initial: string][];
const table = (text: string): Table =>
  text
    .trim()
    .split(/\s*;\s*/)
    .map((line) => line.split(/:\s*/) as [string, string]);

export const ALWAYS = table(
  "display:inline;position:static;float:none;clear:none;z-index:auto;box-sizing:content-box;" +
    "margin-top:0px;margin-right:0px;margin-bottom:0px;margin-left:0px;" +
    "padding-top:0px;padding-right:0px;padding-bottom:0px;padding-left:0px;" +
    "overflow-x:visible;overflow-y:visible;opacity:1;vertical-align:baseline;background-color:rgba(0, 0, 0, 0);" +
    "border-top-left-radius:0px;border-top-right-radius:0px;border-bottom-right-radius:0px;border-bottom-left-radius:0px;" +
    "box-shadow:none;transform:none;translate:none;rotate:none;scale:none;filter:none;backdrop-filter:none;clip-path:none;" +
    "clip:auto;mix-blend-mode:normal;isolation:auto;unicode-bidi:normal;will-change:auto;contain:none;appearance:none;" +
    "counter-reset:none;counter-increment:none;counter-set:none;text-overflow:clip;zoom:1;min-height:0px;max-height:none;" +
    "max-width:none;aspect-ratio:auto;container-type:normal;perspective:none;transform-style:flat;" +
    "backface-visibility:visible;column-span:none;box-decoration-break:slice;-webkit-line-clamp:none;" +
    "initial-letter:normal;text-box-trim:none;break-before:auto;break-after:auto;break-inside:auto;baseline-shift:0px;" +
    "mask-type:luminance;-webkit-box-reflect:none;scrollbar-gutter:auto;text-combine-upright:none;margin-trim:none;resize:none;" +
    "overflow-clip-margin:0px;corner-top-left-shape:superellipse(1);corner-top-right-shape:superellipse(1);" +
    "corner-bottom-left-shape:superellipse(1);corner-bottom-right-shape:superellipse(1)",
);
/** Of each, the properties count only if the first of them is not at its initial value. */
export const GROUPS = [
  table(
    "background-image:none;background-position:0% 0%;background-size:auto;background-repeat:repeat;" +
      "background-attachment:scroll;background-origin:padding-box;background-blend-mode:normal",
  ),
  table(
    "border-image-source:none;border-image-slice:100%;border-image-width:1;border-image-outset:0;border-image-repeat:stretch",
  ),
  table(
    "mask-image:none;mask-position:0% 0%;mask-size:auto;mask-repeat:repeat;mask-origin:border-box;mask-clip:border-box;" +
      "mask-composite:add;mask-mode:match-source",
  ),
  table("outline-style:none;outline-width:;outline-color:;outline-offset:0px"),
  table(
    "text-decoration-line:none;text-decoration-style:solid;text-decoration-color:color;text-decoration-thickness:auto",
  ),
  table("offset-path:none;offset-distance:0px;offset-rotate:auto 0deg;offset-anchor:auto;offset-position:normal"),
  table("background-clip:border-box"),
  ...["top", "right", "bottom", "left"].map((side) =>
    table(`border-${side}-style:none;border-${side}-width:;border-${side}-color:color`),
  ),
];
export const FLOATING = table("shape-outside:none;shape-margin:0px;shape-image-threshold:0");
export const COLUMNS = table(
  "column-count:auto;column-width:auto;column-fill:balance;column-rule-style:none;column-rule-width:3px;" +
    "column-rule-color:color;column-gap:normal",
);
/** Of flex and grid containers. */
export const CONTAINER = table(
  "flex-direction:row;flex-wrap:nowrap;justify-content:normal;align-items:normal;align-content:normal;row-gap:normal;" +
    "column-gap:normal;justify-items:normal;grid-template-columns:none;grid-template-rows:none;grid-template-areas:none;" +
    "grid-auto-flow:row;grid-auto-columns:auto;grid-auto-rows:auto;-webkit-box-orient:horizontal;-webkit-box-pack:start;" +
    "-webkit-box-align:stretch;-webkit-box-direction:normal",
);
/** Of their items, and of boxes that align themselves. */
export const ITEM = table(
  "flex-grow:0;flex-shrink:1;flex-basis:auto;order:0;align-self:auto;justify-self:auto;grid-column-start:auto;" +
    "grid-column-end:auto;grid-row-start:auto;grid-row-end:auto;-webkit-box-flex:0;-webkit-box-ordinal-group:1",
);
export const REPLACED = table("object-fit:fill;object-position:50% 50%;object-view-box:none");
/** Of SVG content, beside what is inherited. */
export const SVG_OWN = table(
  "d:none;cx:0px;cy:0px;r:0px;rx:auto;ry:auto;x:0px;y:0px;stop-color:rgb(0, 0, 0);stop-opacity:1;flood-color:rgb(0, 0, 0);" +
    "flood-opacity:1;lighting-color:rgb(255, 255, 255);vector-effect:none;alignment-baseline:auto;baseline-shift:0px;" +
    "display:inline;opacity:1;transform:none;translate:none;rotate:none;scale:none;filter:none;clip-path:none;mask-type:luminance;" +
    "mix-blend-mode:normal;isolation:auto;offset-path:none;offset-distance:0px;offset-rotate:auto 0deg",
);
