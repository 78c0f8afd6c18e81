/** `closed`: all text so far was reasoning. */
export type ThinkPiece = { readonly kind: "text" | "reasoning" | "closed"; readonly text: string };

const openings = ["<think>", "<thinking>"];
const endings = { "<think>": "</think>", "<thinking>": "</thinking>" } as const;

/**
 * Splits content that begins with `<think>…</think>` into reasoning and text. Deltas may be split anywhere. Only the very
 * beginning counts: a later tag is part of the text. Reasoning that is never closed stays reasoning.
 *
 * Some templates open the tag in the prompt, so that only `</think>` arrives, at the beginning or end of a line. By then the
 * reasoning was passed on as text: `closed` takes it back. Only the first such tag counts, and not in a block of code.
 */
export const createThinkTags = () => {
  let state: "before" | "inside" | "after" | "unopened" | "text" = "before";
  /** The text that was passed on, which may turn out to be reasoning. */
  let passed = "";
  let held = "";
  let ending: string = endings["<think>"];

  const readBefore = (): readonly ThinkPiece[] => {
    const start = held.trimStart();
    const lower = start.slice(0, 10).toLowerCase();
    const opening = openings.find((tag) => lower.startsWith(tag));
    if (opening !== undefined) {
      state = "inside";
      ending = endings[opening as keyof typeof endings];
      held = start.slice(opening.length);
      return readInside();
    }
    if (held.length < 100 && openings.some((tag) => tag.startsWith(lower))) return [];
    state = "unopened";
    return readUnopened(false);
  };

  const readUnopened = (isLast: boolean): readonly ThinkPiece[] => {
    const tag = closing.exec(held);
    const open = Math.max(...Object.values(endings).map((ending) => longestPrefix(held, ending)));
    const size = tag?.index ?? held.length - (isLast ? 0 : open);
    const text = held.slice(0, size);
    held = held.slice(size);
    passed += text;
    const pieces: readonly ThinkPiece[] = text === "" ? [] : [{ kind: "text", text }];
    if (tag === null) return pieces;
    const rest = held.slice(tag[0].length);
    const lineEnd = rest.indexOf("\n");
    if (!isLast && lineEnd < 0 && rest.trim() === "") return pieces;
    const endsLine = lineEnd >= 0 && rest.slice(0, lineEnd).trim() === "";
    const startsLine = passed.slice(passed.lastIndexOf("\n") + 1).trim() === "";
    if (passed.includes("<think") || isInCode(passed) || !(startsLine || endsLine)) {
      state = "text";
      return [...pieces, ...takeText()];
    }
    state = "after";
    held = rest;
    return [...pieces, { kind: "closed", text: "" }, ...readAfter()];
  };

  const readInside = (): readonly ThinkPiece[] => {
    const at = held.indexOf(ending);
    if (at < 0) {
      // The tag may be split between two deltas.
      const safe = held.length - longestPrefix(held, ending);
      const text = held.slice(0, safe);
      held = held.slice(safe);
      return text === "" ? [] : [{ kind: "reasoning", text }];
    }
    const reasoning = held.slice(0, at);
    held = held.slice(at + ending.length);
    state = "after";
    return [...(reasoning === "" ? [] : [{ kind: "reasoning", text: reasoning } as const]), ...readAfter()];
  };

  /** Drops the blank lines between the tag and the answer. */
  const readAfter = (): readonly ThinkPiece[] => {
    held = held.trimStart();
    if (held === "") return [];
    state = "text";
    return takeText();
  };
  const takeText = (): readonly ThinkPiece[] => {
    const text = held;
    held = "";
    return text === "" ? [] : [{ kind: "text", text }];
  };

  return {
    read: (delta: string): readonly ThinkPiece[] => {
      if (state === "text") return [{ kind: "text", text: delta }];
      held += delta;
      if (state === "before") return readBefore();
      if (state === "unopened") return readUnopened(false);
      return state === "inside" ? readInside() : readAfter();
    },
    /** Text that was held back for a tag that did not come. */
    end: (): readonly ThinkPiece[] => {
      if (state === "unopened") return readUnopened(true);
      const kind = state === "inside" ? "reasoning" : "text";
      const text = state === "after" ? "" : held;
      held = "";
      state = "text";
      return text === "" ? [] : [{ kind, text }];
    },
  };
};

const closing = /<\/think(?:ing)?>/;
/** An odd number of fences: the last block of code is open. */
const isInCode = (text: string): boolean => (text.match(/^```/gm)?.length ?? 0) % 2 === 1;

/** Characters at the end of the text that may be the beginning of the tag. */
const longestPrefix = (text: string, tag: string): number => {
  for (let size = Math.min(tag.length - 1, text.length); size > 0; size -= 1) {
    if (text.endsWith(tag.slice(0, size))) return size;
  }
  return 0;
};
