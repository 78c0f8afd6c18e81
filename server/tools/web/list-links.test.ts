import { expect, test } from "vitest";
import { listLinks } from "./list-links.ts";

test("lists link targets but not plain URLs in the text", () => {
  const page =
    'See [one](https://a.example/1) and [two](<https://a.example/2> "t"), not https://a.example/3 or `](x)`.';
  expect(listLinks(page, ["https://self.example/"])).toEqual([
    "https://self.example/",
    "https://a.example/1",
    "https://a.example/2",
  ]);
});

test("is bounded in number and time", () => {
  expect(listLinks("[x](https://a.example/1)".repeat(9_000), [])).toHaveLength(1);
  const many = Array.from({ length: 1_000 }, (_, n) => `[x](https://a.example/${n})`).join(" ");
  expect(listLinks(many, [])).toHaveLength(300);
  const startedAt = performance.now();
  listLinks("](http://".repeat(200_000), []);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});
