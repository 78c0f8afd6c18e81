import { expect, test } from "vitest";
import { batch, put, putThread, rows, expectOk } from "../../test/support/store-rows.ts";
import { describeStores } from "../../test/support/stores.ts";
import type { Write } from "./contract.ts";

describeStores("search", ({ store, id }) => {
  const library = async (texts: Readonly<Record<string, string>>) => {
    const [owner, thread] = [id("owner"), id("thread")];
    await putThread(store(), owner, thread);
    const docs = Object.entries(texts).map(([message, terms], index): Write => {
      const row = rows.doc({ thread, message, owner, terms, at: index + 1, text: `text of ${message}` });
      return { do: "insert", table: "search_docs", row };
    });
    await put(store(), ...docs);
    const find = async (...terms: readonly string[]) =>
      (await store().read.search({ owner, terms, limit: 50 })).map((row) => row.message);
    return { owner, thread, find };
  };

  test("finds documents that contain every term, newest first", async () => {
    const { find, owner, thread } = await library({ a: "red fox", b: "red hen", c: "the red fox ran" });
    expect(await find("red", "fox")).toEqual(["c", "a"]);
    expect(await find("fox", "red")).toEqual(["c", "a"]);
    expect(await find("red")).toEqual(["c", "b", "a"]);
    expect(await find("blue")).toEqual([]);
    const [newest] = await store().read.search({ owner, terms: ["red"], limit: 1 });
    expect(newest).toEqual({ thread, message: "c", text: "text of c", at: 3 });
  });

  test("returns only the beginning of a long text", async () => {
    const { owner, thread } = await library({ a: "red" });
    const row = rows.doc({ thread, message: "long", owner, terms: "red", at: 9, text: "red ".repeat(100_000) });
    await put(store(), { do: "insert", table: "search_docs", row });
    const found = await store().read.search({ owner, terms: ["red"], limit: 50 });
    expect(found.map(({ text }) => text.length)).toEqual([50_000, "text of a".length]);
  });

  test("matches only the last term as a prefix", async () => {
    const { find } = await library({ a: "streaming tokens", b: "stream token" });
    expect(await find("stre")).toEqual(["b", "a"]);
    expect(await find("stre", "token")).toEqual([]);
    expect(await find("streaming", "tok")).toEqual(["a"]);
  });

  test("finds terms in any script", async () => {
    const { find } = await library({
      cjk: "東京 京都 都市",
      kana: "ひら らが がな",
      hebrew: "שלום עולם",
      arabic: "مرحبا بالعالم",
      thai: "สวัสดี",
      german: "straße müller",
      emoji: "👩‍👩‍👧 rocket🚀",
      hindi: "नमस्ते दुनिया",
    });
    for (const [term, message] of [
      ["東京", "cjk"],
      ["がな", "kana"],
      ["שלום", "hebrew"],
      ["مرحبا", "arabic"],
      ["สวัสดี", "thai"],
      ["müller", "german"],
      ["straße", "german"],
      ["👩‍👩‍👧", "emoji"],
      ["rocket🚀", "emoji"],
      ["नमस्ते", "hindi"],
    ] as const) {
      expect(await find(term)).toEqual([message]);
    }
    expect(await find("muller")).toEqual([]);
    expect(await find("京都", "都")).toEqual(["cjk"]);
  });

  test("treats quotes and operators in a term as plain characters", async () => {
    const odd = [
      `it's`,
      `"quoted"`,
      "a&b",
      "a|b",
      "!not",
      "(x)",
      "c++",
      "foo:*",
      "back\\slash",
      "-minus",
      "near(",
      "a.b",
      "*",
    ];
    const { find } = await library(Object.fromEntries(odd.map((term, n) => [`m${n}`, `${term} rest`])));
    for (const [n, term] of odd.entries()) {
      expect(await find(term, "rest"), term).toEqual([`m${n}`]);
    }
    for (const term of [
      "AND",
      "OR",
      "NOT",
      "' OR 1=1 --",
      '" OR "',
      "')",
      ":*",
      "owner : x",
      "\u0001",
      "\0",
      "\ud800",
      "\\",
    ]) {
      expect(await find(term, "nowhere"), term).toEqual([]);
      expect(await find(term), term).toEqual([]);
    }
  });

  test("finds nothing without terms", async () => {
    const { find } = await library({ a: "anything" });
    expect(await find()).toEqual([]);
    expect(await find("")).toEqual([]);
    expect(await find("", "any")).toEqual(["a"]);
  });

  test("finds only the user's own documents, and the newest for a very common word", async () => {
    const mine = await library({ a: "common needle" });
    const other = await library(Object.fromEntries(Array.from({ length: 10_500 }, (_, n) => [`m${n}`, "common"])));
    expect(await mine.find("common")).toEqual(["a"]);
    expect(await other.find("needle")).toEqual([]);
    const newest = Array.from({ length: 50 }, (_, n) => `m${10_499 - n}`);
    expect(await other.find("common")).toEqual(newest);
  });

  test("finds an updated document only by its new terms", async () => {
    const { find, owner, thread } = await library({ a: "before" });
    await put(store(), {
      do: "put",
      table: "search_docs",
      row: rows.doc({ thread, message: "a", owner, terms: "after" }),
    });
    expect(await find("before")).toEqual([]);
    expect(await find("after")).toEqual(["a"]);
    await put(store(), { do: "delete", table: "search_docs", where: { thread } });
    expect(await find("after")).toEqual([]);
  });

  test("stores a document that is too large for the index and finds it by its first terms", async () => {
    const words = Array.from({ length: 300_000 }, (_, n) => `word${n}`);
    const { find } = await library({ big: `first ${"y".repeat(50_000)} ${words.join(" ")}` });
    expect(await find("first")).toEqual(["big"]);
    expect(await find("word100")).toEqual(["big"]);
    expect(await find("y".repeat(300))).toEqual(["big"]);
  });

  test("ignores extra spaces around and between terms", async () => {
    const [owner, thread] = [id("owner"), id("thread")];
    await putThread(store(), owner, thread);
    const docs = ["", " ", "  two  spaces "].map((terms, n): Write => ({
      do: "insert",
      table: "search_docs",
      row: rows.doc({ thread, message: `m${n}`, owner, terms }),
    }));
    expectOk((await store().commit([batch({ writes: docs })]))[0]);
    expect(await store().read.search({ owner, terms: ["two", "spaces"], limit: 5 })).toHaveLength(1);
  });
});
