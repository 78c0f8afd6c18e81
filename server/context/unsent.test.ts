import { expect, test } from "vitest";
import type { MessageView } from "../../protocol/fold.ts";
import type { PartOf } from "../../protocol/parts.ts";
import { leaveOutUnsent } from "./assemble.ts";

const picture = (n: number, sizeBytes: number): PartOf<"file"> => ({
  id: `m.${n}`,
  v: 1,
  n,
  step: 0,
  kind: "file",
  mediaType: "image/png",
  name: `${n}.png`,
  hash: `h${n}`,
  sizeBytes,
  width: 1_000,
  height: 1_000,
  digest: `[The user attached a picture: ${n}.png.]`,
});

test("if pictures are too large together, the newest are sent and the others are described and counted as text", () => {
  const parts = [picture(1, 4e6), picture(2, 8e6), picture(3, 9e6)];
  const message = { id: "m", role: "user", depth: 1, parts } as unknown as MessageView;
  const counts = new Map(parts.map(({ n }) => [`m/${n}`, 1_500]));
  const {
    messages,
    unsent,
    counts: counted,
  } = leaveOutUnsent({ messages: [message], counts }, { vision: true }, (text) => text.length);
  expect([...unsent]).toEqual([["m/2", "too-large"]]);
  const sent = messages[0]?.parts.map((part) => (part.kind === "file" ? part : null)) ?? [];
  expect(sent.map((part) => part?.hash)).toEqual(["h1", undefined, "h3"]);
  expect(sent[1]?.digest).toMatch(/^\[The user attached a picture: 2\.png\. It was not sent because .+\]$/);
  expect(counted.get("m/2")).toBe(sent[1]?.digest?.length);
  expect(counted.get("m/1")).toBe(1_500);
});
