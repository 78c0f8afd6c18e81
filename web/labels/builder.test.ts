import { expect, test } from "vitest";
import { toProjectName } from "./builder.ts";

test.each([
  ["Build me a page about stonechats", "Page about stonechats"],
  ["Could you please make a tip calculator? It has a slider.", "Tip calculator"],
  ["# Timer\nwith a bell", "Timer"],
  ["build", "Build"],
  ["", "New project"],
  ["🙂", "🙂"],
  ["Eine Seite über Vögel, bitte", "Eine Seite über Vögel"],
])("names a project after %j", (text, name) => {
  expect(toProjectName(text)).toBe(name);
});

test("cuts a long message at a word, and a long word anywhere", () => {
  expect(toProjectName(`Build a ${"stone ".repeat(40)}`)).toBe("Stone stone stone stone stone stone stone stone");
  expect(toProjectName("x".repeat(5000))).toHaveLength(48);
});
