import type { Unloaded } from "../../lib/use-load.ts";
import type { FileLine, FileText } from "../../../protocol/workspace/workspace.ts";

/** How the words of a person on their way into a file are doing. */
export type SaveState =
  | { readonly name: "idle" }
  | { readonly name: "saving" }
  | { readonly name: "failed"; readonly text: string }
  /** Somebody else wrote the file while there were unsaved words; null: it was deleted. */
  | { readonly name: "behind"; readonly theirs: FileLine | null }
  /** A save was refused for that, or the person wants to see both. */
  | { readonly name: "stale"; readonly theirs: FileText | null };

/** One file that is open: what is stored, and what of the person's is not yet. */
export type BufferState =
  | Unloaded
  | { readonly phase: "gone" }
  | { readonly phase: "bytes"; readonly file: FileText }
  | {
      readonly phase: "text";
      readonly file: FileText & { readonly text: string };
      /** null: as stored. */
      readonly draft: string | null;
      readonly save: SaveState;
    };

export type TextBuffer = Extract<BufferState, { phase: "text" }>;

export const idle: SaveState = { name: "idle" };

export function toBuffer(file: FileText, draft: string | null = null): BufferState {
  if (file.text === null) return { phase: "bytes", file };
  return { phase: "text", file: { ...file, text: file.text }, draft: draft === file.text ? null : draft, save: idle };
}

/** What the person sees in the editor. */
export const textOf = ({ draft, file }: TextBuffer): string => draft ?? file.text;

export const isUnsaved = (state: BufferState): boolean => state.phase === "text" && state.draft !== null;
