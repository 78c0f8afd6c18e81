import { expect, test } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { readJsonItems } from "./json-items.ts";

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const readAll = async (text: string | Buffer, size = 7, most?: number): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  for await (const item of readJsonItems(cut(Buffer.from(text), size), most))
    found.push("fault" in item ? item.fault : item.value);
  return found;
};

// A single list as an element would be the list itself; a property covers the rest.
test("gives the elements of any list, however the bytes are cut and spaced", async () => {
  const value = fc.jsonValue({ maxDepth: 3, stringUnit: "binary" });
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { maxLength: 6 }),
      fc.integer({ min: 1, max: 50 }),
      fc.nat(3),
      async (list, size, space) => {
        expect(await readAll(JSON.stringify(list, null, space), size)).toEqual(JSON.parse(JSON.stringify(list)));
      },
    ),
  );
});

test("gives single objects, JSON Lines and a file with a byte order mark", async () => {
  expect(await readAll('{"a":[1,{"b":"}]"}]}')).toEqual([{ a: [1, { b: "}]" }] }]);
  expect(await readAll('{"a":1}\n{"a":"\\""}\n')).toEqual([{ a: 1 }, { a: '"' }]);
  expect(await readAll("\uFEFF[1,2]", 100)).toEqual([1, 2]);
  expect(await readAll("[1]\n[2,3]")).toEqual([1, 2, 3]);
  expect(await readAll(" ")).toEqual([]);
});

test("names damaged and large elements, and gives the others", async () => {
  expect(await readAll('[1,{"a":,},2]')).toEqual([1, "Item 2 is not valid JSON.", 2]);
  const long = JSON.stringify(["short", "x".repeat(3_000_000), "end"]);
  expect(await readAll(long, 65_536, 2_000_000)).toEqual([
    "short",
    "Item 2 has more than 2 MB, the limit for one item.",
    "end",
  ]);
  expect(await readAll('[1,{"a":')).toEqual([
    1,
    "Item 2 is not valid JSON.",
    "The file ends early, so its last item is incomplete.",
  ]);
});
