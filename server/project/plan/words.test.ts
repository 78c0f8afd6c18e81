import { expect, test } from "vitest";
import { toRunUndoSentence, toUndoSentence } from "./words.ts";

test("an undo says what it takes back, a redo what it does again, however often", () => {
  const done = 'Created task "Paint"';
  const undone = toUndoSentence(done);
  expect(undone).toBe('Took back: Created task "Paint"');
  expect(toUndoSentence(undone)).toBe('Did again: Created task "Paint"');
  expect(toUndoSentence(toUndoSentence(undone))).toBe(undone);
});

test("a sentence never grows beyond what the log shows", () => {
  expect(toUndoSentence("x".repeat(400)).length).toBeLessThanOrEqual(300);
});

test("a run of one act is told by it, a longer one by its length", () => {
  expect(toRunUndoSentence(["Moved it"])).toBe("Took back: Moved it");
  expect(toRunUndoSentence(["Moved it", "Made it"])).toBe("Took back: 2 acts of a run");
});
