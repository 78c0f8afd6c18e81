import type { ClipboardEvent } from "react";
import type { Item } from "../../state/attaching.ts";
import { toFileUrl } from "../../state/attaching.ts";
import { composer } from "../../strings/composer.ts";

const { pasted } = composer.attachments;

/** A longer text becomes a file, which keeps the message readable. */
const fold = { characters: 6_000, lines: 80 } as const;

const isLong = (text: string): boolean =>
  text.length > fold.characters || text.split("\n", fold.lines + 1).length > fold.lines;

/**
 * Attaches pasted files, and a long pasted text as a file. Text copied from a document also contains a picture; only its text
 * is pasted.
 */
export function attachPasted(
  event: ClipboardEvent,
  items: readonly Item[],
  attach: (files: readonly File[]) => void,
): void {
  const { files, types } = event.clipboardData;
  const text = event.clipboardData.getData("text/plain");
  if (isLong(text)) {
    event.preventDefault();
    attach([new File([text], toFreeName(items), { type: "text/plain" })]);
  } else if (files.length > 0 && !types.includes("text/plain")) {
    event.preventDefault();
    attach([...files]);
  }
}

function toFreeName(items: readonly Item[]): string {
  const names = new Set(items.map(({ name }) => name));
  for (let number = 1; ; number += 1) if (!names.has(pasted.name(number))) return pasted.name(number);
}

/** Whether a file is a pasted text that can become part of the message again. */
export const isPastedText = ({ name, state }: Item): boolean => state.name === "ready" && pasted.pattern.test(name);

/** The text of a pasted file; null if the server cannot be reached. */
export async function readPastedText({ state }: Item): Promise<string | null> {
  if (state.name !== "ready") return null;
  const response = await fetch(toFileUrl(state.file.id)).catch(() => null);
  return response?.ok ? response.text() : null;
}
