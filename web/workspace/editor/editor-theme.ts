import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const underline = (color: string): string =>
  `linear-gradient(var(${color}), var(${color})) bottom / 100% 2px no-repeat`;

/** All colors are tokens of the page, so one theme serves light and dark. */
const look = EditorView.theme({
  "&": { height: "100%", color: "var(--code-ink)", backgroundColor: "transparent", fontSize: "0.82rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.6", overscrollBehavior: "contain" },
  ".cm-content": { padding: "0.5rem 0 4rem", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 1rem 0 0.5rem" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--accent-wash)",
  },
  ".cm-content ::selection": { backgroundColor: "var(--accent-wash)" },
  ".cm-gutters": { backgroundColor: "transparent", border: "none", color: "var(--soft)" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 0.4rem 0 0.9rem", minWidth: "2.6rem" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--hover) 45%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-selectionMatch": { backgroundColor: "var(--warn-wash)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--press)", color: "inherit" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--danger-wash)", color: "inherit" },
  ".cm-searchMatch": { backgroundColor: "var(--mark)" },
  ".cm-searchMatch.cm-searchMatch-selected": { backgroundColor: "var(--accent-wash)" },
  ".cm-panels": { backgroundColor: "var(--sunk)", color: "var(--ink)", border: "none" },
  ".cm-panels.cm-panels-bottom": { borderTop: "none" },
  ".cm-panel.cm-search": { padding: "0.5rem 2rem 0.5rem 0.75rem", fontFamily: "var(--font-sans)", fontSize: "0.8rem" },
  ".cm-textfield": {
    backgroundColor: "var(--raised)",
    border: "none",
    borderRadius: "0.45rem",
    padding: "0.25rem 0.5rem",
    fontSize: "0.8rem",
  },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--hover)",
    border: "none",
    borderRadius: "0.45rem",
    padding: "0.25rem 0.6rem",
    fontSize: "0.8rem",
  },
  ".cm-panel.cm-search [name=close]": { color: "var(--soft)", fontSize: "1.1rem" },
  // Light enough to keep text readable; changes within a line are underlined.
  ".cm-changedLine": {
    backgroundColor: "color-mix(in srgb, var(--good) 12%, transparent) !important",
  },
  ".cm-changedText, .cm-insertedText": { background: `${underline("--good")} !important` },
  ".cm-insertedLine, .cm-deletedLine": { background: "none !important", textDecoration: "none" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": {
    backgroundColor: "color-mix(in srgb, var(--danger) 10%, transparent) !important",
  },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": {
    background: `${underline("--danger")} !important`,
  },
  ".cm-changedLineGutter": { background: "var(--good) !important" },
  "&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter": { background: "var(--danger) !important" },
  ".cm-deletedChunk": { paddingLeft: "0.5rem" },
  ".cm-deletedChunk .cm-chunkButtons": { insetInlineEnd: "0.5rem", fontFamily: "var(--font-sans)" },
  ".cm-deletedChunk button": {
    border: "none",
    borderRadius: "0.4rem",
    padding: "0.15rem 0.5rem",
    marginInlineStart: "0.25rem",
    fontSize: "0.72rem",
    color: "var(--ink)",
    backgroundColor: "var(--raised)",
  },
  ".cm-collapsedLines": {
    color: "var(--soft)",
    background: "var(--sunk)",
    padding: "0.25rem 0.75rem",
    fontFamily: "var(--font-sans)",
  },
});

/** As classes, so that a diff without an editor has the same colors. */
export const codeColors = HighlightStyle.define([
  { tag: [tags.comment, tags.meta, tags.quote], class: "text-(--code-comment) italic" },
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.tagName, tags.angleBracket, tags.heading],
    class: "text-(--code-word)",
  },
  {
    tag: [
      tags.attributeName,
      tags.typeName,
      tags.className,
      tags.propertyName,
      tags.labelName,
      tags.definition(tags.variableName),
      tags.function(tags.variableName),
    ],
    class: "text-(--code-name)",
  },
  {
    tag: [tags.string, tags.special(tags.string), tags.regexp, tags.link, tags.url],
    class: "text-(--code-text)",
  },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color], class: "text-(--code-number)" },
  { tag: tags.strong, class: "font-semibold" },
  { tag: tags.emphasis, class: "italic" },
]);

export const editorTheme: Extension = [look, syntaxHighlighting(codeColors)];
