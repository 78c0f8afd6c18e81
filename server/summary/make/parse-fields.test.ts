import { expect, test } from "vitest";
import { parseFields } from "./parse-fields.ts";

const whole = {
  overview: "They talk.",
  keyPoints: ["one"],
  decisions: ["two"],
  actionItems: [{ text: "three", context: "soon" }],
  openQuestions: ["four?"],
  toolResults: [{ toolName: "now", summary: "noon", importance: "high" }],
};

test.each([
  ["as asked", JSON.stringify(whole)],
  [
    "in a fence with prose around",
    `Sure!\n\`\`\`json\n${JSON.stringify(whole, null, 2)}\n\`\`\`\nDone {really}.`.replace(" {really}", ""),
  ],
  ["with commas too many", JSON.stringify(whole).replace("]}", ",]}").replace('"one"]', '"one",]')],
  [
    "with names in another case",
    JSON.stringify(whole).replace("keyPoints", "key_points").replace("actionItems", "Action Items"),
  ],
])("%s, it is read", (_, text) => {
  expect(parseFields(text)).toEqual(whole);
});

test("reads a cut reply up to its last complete entry", () => {
  const text = JSON.stringify(whole);
  const cut = parseFields(text.slice(0, text.indexOf("soon")));
  expect(cut).toMatchObject({ overview: "They talk.", keyPoints: ["one"], decisions: ["two"] });
});

test("missing lists are empty, and strings are accepted in place of objects", () => {
  expect(parseFields('{"overview":"x","actionItems":["do it"],"keyPoints":"one"}')).toEqual({
    ...whole,
    overview: "x",
    keyPoints: ["one"],
    decisions: [],
    actionItems: [{ text: "do it", context: "" }],
    openQuestions: [],
    toolResults: [],
  });
});

test.each(["", "I cannot do that.", "[]", "{}", "{{{{", '{"overview":""}', '{"overview":{"a":1}}', "null"])(
  "%j is nothing",
  (text) => {
    expect(parseFields(text)).toBeUndefined();
  },
);
