import { expect, test } from "vitest";
import { readZip } from "../../test/support/project/read-zip.ts";
import { writeZip } from "./zip.ts";

const files = [
  { path: "index.html", bytes: Buffer.from("<p>hello</p>\n".repeat(100)) },
  { path: "src/grüße/ünï.ts", bytes: Buffer.from("x") },
  { path: "empty.txt", bytes: Buffer.alloc(0) },
  { path: "image.bin", bytes: Buffer.from(Array.from({ length: 256 }, (_, n) => n)) },
];

test("another ZIP reader extracts the same files", async () => {
  const read = await readZip(await writeZip(files));
  expect(read.map(({ path, bytes }) => [path, bytes.toString("hex")])).toEqual(
    files.map(({ path, bytes }) => [path, bytes.toString("hex")]),
  );
});

test("the same files give the same bytes, and text is compressed", async () => {
  expect((await writeZip(files)).equals(await writeZip(files))).toBe(true);
  expect((await writeZip(files.slice(0, 1))).length).toBeLessThan(300);
});

test("an archive without files is valid", async () => {
  expect(await readZip(await writeZip([]))).toEqual([]);
});
