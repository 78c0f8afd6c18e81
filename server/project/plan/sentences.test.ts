import { expect, test } from "vitest";
import { toRunUndoSentence, toUndoSentence } from "./sentences.ts";

test("undo and redo sentences alternate, however often an act is undone", () => {
  const done = 'Created task "Paint"';
  const undone = toUndoSentence(done);
  expect(undone).toBe('Undid: Created task "Paint"');
  expect(toUndoSentence(undone)).toBe('Redid: Created task "Paint"');
  expect(toUndoSentence(toUndoSentence(undone))).toBe(undone);
  expect(toUndoSentence("Took back: Moved it")).toBe("Redid: Moved it");
  expect(toUndoSentence("Did again: Moved it")).toBe("Undid: Moved it");
});

test("a sentence is at most 300 characters long", () => {
  expect(toUndoSentence("x".repeat(400)).length).toBeLessThanOrEqual(300);
});

test("the undo of a run names its only act, or the number of acts", () => {
  expect(toRunUndoSentence(["Moved it"])).toBe("Undid: Moved it");
  expect(toRunUndoSentence(["Moved it", "Made it"])).toBe("Undid: 2 acts of a run");
});
