import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { editorTheme } from "./editor-theme.ts";

type Options = {
  /** What the text is, for those who cannot see it. */
  readonly label: string;
  readonly isFixed: boolean;
  readonly isWrapped: boolean;
};

/** What every editor of the page is made of. Tab indents; Escape and then Tab leaves, as the label says. */
export const setUpEditor = ({ label, isFixed, isWrapped }: Options): Extension => [
  lineNumbers(),
  highlightSpecialChars(),
  highlightSelectionMatches(),
  search({ top: true }),
  bracketMatching(),
  editorTheme,
  isWrapped ? EditorView.lineWrapping : [],
  EditorView.contentAttributes.of({
    "aria-label": label,
    tabindex: "0",
    ...(isFixed
      ? { "aria-readonly": "true" }
      : { "aria-description": "Tab indents. Escape, then Tab, leaves the text." }),
  }),
  isFixed
    ? [EditorState.readOnly.of(true), keymap.of([...searchKeymap, ...defaultKeymap])]
    : [
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of("  "),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        keymap.of([...searchKeymap, ...historyKeymap, indentWithTab, ...defaultKeymap]),
      ],
];

/** The one stretch in which two texts differ: so small a change leaves the cursor where it is. */
export function toChange(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/** The editor knows one kind of line ending; the file keeps its own. */
export const toDoc = (text: string): string => text.replaceAll(/\r\n?/g, "\n");
export const fromDoc = (doc: string, before: string): string =>
  before.includes("\r\n") ? doc.replaceAll("\n", "\r\n") : doc;
