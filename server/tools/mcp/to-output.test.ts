import { expect, test } from "vitest";
import type { Artifact } from "../tool.ts";
import { toOutput } from "./to-output.ts";

function read(raw: unknown): { readonly output: unknown; readonly artifacts: readonly Artifact[] } {
  const artifacts: Artifact[] = [];
  const { output } = toOutput(raw, "a tool", (one) => ({
    id: "x",
    ref: artifacts.push(one),
    text: async () => one.text,
  }));
  return { output, artifacts };
}
const text = (value: string): object => ({ type: "text", text: value });

test("joins several texts", () => {
  expect(read({ content: [text("a"), text("b")] }).output).toBe("a\n\nb");
  expect(read({ content: [] }).output).toBe("");
  expect(read({}).output).toBe("");
});

test("returns a result sent both as text and as data only once", () => {
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

test("cuts data over 12,000 characters and stores it in full", () => {
  const structured = { rows: Array.from({ length: 3000 }, (_, n) => n) };
  const { output, artifacts } = read({ content: [], structuredContent: structured });
  expect(output).toMatchObject({ ref: 1, more: expect.stringContaining("read_artifact") });
  expect(JSON.parse(artifacts[0]!.text)).toEqual(structured);
});

test("stores images, audio and files up to a size and refers to them by number", () => {
  const { output, artifacts } = read({
    content: [
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav; <script>" },
      { type: "resource", resource: { uri: "file:///a.bin", blob: "aGk=" } },
      { type: "image", data: "x".repeat(3_000_000), mimeType: "image/png" },
    ],
  });
  expect(artifacts.map(({ type }) => type)).toEqual([
    "image/png",
    "application/octet-stream",
    "application/octet-stream",
  ]);
  expect(output).toMatch(
    /stored as \[1\]\][^]*stored as \[2\]\][^]*file:\/\/\/a\.bin: [^]*stored as \[3\]\][^]*too large to store\]/,
  );
});

test("names content of an unknown type without showing it", () => {
  expect(read({ content: [{ type: "hologram", data: "secret" }, {}] }).output).toBe(
    '[content of type "hologram", not shown]\n\n[content of type "unknown", not shown]',
  );
});

test("throws if the server reports an error, with its reason", () => {
  expect(() => read({ isError: true, content: [text("no such file")] })).toThrow(/^no such file$/);
  expect(() => read({ isError: true })).toThrow("gave no reason");
  expect(() => read({ content: 3 })).toThrow("does not follow the protocol");
  expect(() => read(null)).toThrow("does not follow the protocol");
});
