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
import { editor as strings } from "../../strings/workspace/editor.ts";

type Options = {
  /** Accessible name. */
  readonly label: string;
  readonly isReadOnly: boolean;
  readonly isWrapped: boolean;
};

/** Extensions that all editors share. Tab indents; Escape, then Tab, leaves the editor. */
export const setUpEditor = ({ label, isReadOnly, isWrapped }: Options): Extension => [
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
    ...(isReadOnly ? { "aria-readonly": "true" } : { "aria-description": strings.leaveHint }),
  }),
  isReadOnly
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

/** The one range in which two texts differ: such a small change keeps the cursor. */
export function toChange(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/** The editor uses LF; the file keeps its line endings. */
export const toDoc = (text: string): string => text.replaceAll(/\r\n?/g, "\n");
export const fromDoc = (doc: string, before: string): string =>
  before.includes("\r\n") ? doc.replaceAll("\n", "\r\n") : doc;
