import type { UnloadedState } from "../../lib/use-load.ts";
import type { FileLine, FileText } from "../../../protocol/workspace/workspace.ts";

/** State of saving a file. */
export type SaveState =
  | { readonly name: "idle" }
  | { readonly name: "saving" }
  | { readonly name: "failed"; readonly text: string }
  /** The file was changed elsewhere while there were unsaved edits; null: it was deleted. */
  | { readonly name: "behind"; readonly theirs: FileLine | null }
  /** A save was rejected for that reason, or the user wants to see both versions. */
  | { readonly name: "stale"; readonly theirs: FileText | null };

/** An open file: its stored content and unsaved edits. */
export type BufferState =
  | UnloadedState
  | { readonly phase: "gone" }
  | { readonly phase: "bytes"; readonly file: FileText }
  | {
      readonly phase: "text";
      readonly file: FileText & { readonly text: string };
      /** null: no unsaved edits. */
      readonly draft: string | null;
      readonly save: SaveState;
    };

export type TextBuffer = Extract<BufferState, { phase: "text" }>;

export const idle: SaveState = { name: "idle" };

export function toBuffer(file: FileText, draft: string | null = null): BufferState {
  if (file.text === null) return { phase: "bytes", file };
  return { phase: "text", file: { ...file, text: file.text }, draft: draft === file.text ? null : draft, save: idle };
}

/** The text in the editor. */
export const textOf = ({ draft, file }: TextBuffer): string => draft ?? file.text;

export const isUnsaved = (state: BufferState): boolean => state.phase === "text" && state.draft !== null;
