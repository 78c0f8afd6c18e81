import { expect, test } from "vitest";
import type { Artifact } from "../tool.ts";
import { toOutput } from "./to-output.ts";

function read(raw: unknown): { readonly output: unknown; readonly kept: readonly Artifact[] } {
  const kept: Artifact[] = [];
  const { output } = toOutput(raw, "a tool", (one) => ({ id: "x", ref: kept.push(one), text: async () => one.text }));
  return { output, kept };
}
const text = (value: string): object => ({ type: "text", text: value });

test("texts are one text", () => {
  expect(read({ content: [text("a"), text("b")] }).output).toBe("a\n\nb");
  expect(read({ content: [] }).output).toBe("");
  expect(read({}).output).toBe("");
});

test("what is said twice, as text and as data, is given once", () => {
  const structured = { a: 1, b: [2] };
  expect(read({ content: [text(JSON.stringify(structured))], structuredContent: structured }).output).toEqual(
    structured,
  );
  expect(read({ content: [], structuredContent: structured }).output).toEqual(structured);
  expect(read({ content: [text("hello")], structuredContent: { content: "hello" } }).output).toBe("hello");
  expect(read({ content: [text("a summary")], structuredContent: structured }).output).toEqual({
    text: "a summary",
    structured,
  });
});

test("data of more than 12,000 characters is cut and kept whole, too", () => {
  const structured = { rows: Array.from({ length: 3000 }, (_, n) => n) };
  const { output, kept } = read({ content: [], structuredContent: structured });
  expect(output).toMatchObject({ ref: 1, more: expect.stringContaining("read_artifact") });
  expect(JSON.parse(kept[0]!.text)).toEqual(structured);
});

test("pictures, sounds and files are kept, told of by their number, and only up to a size", () => {
  const { output, kept } = read({
    content: [
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav; <script>" },
      { type: "resource", resource: { uri: "file:///a.bin", blob: "aGk=" } },
      { type: "image", data: "x".repeat(3_000_000), mimeType: "image/png" },
    ],
  });
  expect(kept.map(({ type }) => type)).toEqual(["image/png", "application/octet-stream", "application/octet-stream"]);
  expect(output).toMatch(/kept as 1\][^]*kept as 2\][^]*file:\/\/\/a\.bin: [^]*kept as 3\][^]*too large to keep\]/);
});

test("what is of no known kind is named, not shown", () => {
  expect(read({ content: [{ type: "hologram", data: "secret" }, {}] }).output).toBe(
    '[something of the kind "hologram", which is not shown here]\n\n[something of the kind "unknown", which is not shown here]',
  );
});

test("a server's own word that it failed is a failure with its reason", () => {
  expect(() => read({ isError: true, content: [text("no such file")] })).toThrow(/^no such file$/);
  expect(() => read({ isError: true })).toThrow("gave no reason");
  expect(() => read({ content: 3 })).toThrow("not what the protocol asks for");
  expect(() => read(null)).toThrow("not what the protocol asks for");
});
