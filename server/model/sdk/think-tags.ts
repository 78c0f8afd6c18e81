export type Piece = { readonly kind: "text" | "reasoning"; readonly text: string };

const openings = ["<think>", "<thinking>"];
const endings = { "<think>": "</think>", "<thinking>": "</thinking>" } as const;

/**
 * Splits content that begins with `<think>…</think>` into reasoning and text. Deltas may be split anywhere. Only the very
 * beginning counts: a later tag is part of the text. Reasoning that is never closed stays reasoning.
 */
export const createThinkTags = () => {
  let state: "before" | "inside" | "after" | "text" = "before";
  let held = "";
  let ending: string = endings["<think>"];

  const readBefore = (): readonly Piece[] => {
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
    state = "text";
    return takeText();
  };

  const readInside = (): readonly Piece[] => {
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
  const readAfter = (): readonly Piece[] => {
    held = held.trimStart();
    if (held === "") return [];
    state = "text";
    return takeText();
  };
  const takeText = (): readonly Piece[] => {
    const text = held;
    held = "";
    return text === "" ? [] : [{ kind: "text", text }];
  };

  return {
    read: (delta: string): readonly Piece[] => {
      if (state === "text") return [{ kind: "text", text: delta }];
      held += delta;
      if (state === "before") return readBefore();
      return state === "inside" ? readInside() : readAfter();
    },
    /** Text that was held back for a tag that did not come. */
    end: (): readonly Piece[] => {
      const kind = state === "inside" ? "reasoning" : "text";
      const text = state === "after" ? "" : held;
      held = "";
      state = "text";
      return text === "" ? [] : [{ kind, text }];
    },
  };
};

/** Characters at the end of the text that may be the beginning of the tag. */
const longestPrefix = (text: string, tag: string): number => {
  for (let size = Math.min(tag.length - 1, text.length); size > 0; size -= 1) {
    if (text.endsWith(tag.slice(0, size))) return size;
  }
  return 0;
};
