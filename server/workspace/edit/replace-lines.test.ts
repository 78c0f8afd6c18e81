import fc from "../../../test/support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { replaceLines, type LineEdit } from "./replace-lines.ts";

const edit = (text: string, asked: Omit<LineEdit, "path"> & { readonly path?: string }, earlier?: readonly string[]) =>
  replaceLines(text, { path: "src/App.tsx", ...asked }, earlier);
const textOf = (result: ReturnType<typeof edit>): string => {
  if (!result.ok) throw new Error(result.reason);
  return result.text;
};
const reasonOf = (result: ReturnType<typeof edit>): string => {
  if (result.ok) throw new Error(`it was done: ${result.text}`);
  return result.reason;
};

const header = [
  "export function Header() {",
  "  return (",
  '    <header className="bar">',
  "      <h1>Title</h1>",
  "    </header>",
  "  );",
  "}",
  "",
].join("\n");

describe("exact matches", () => {
  test("lines are replaced literally", () => {
    const result = edit(header, {
      search: "      <h1>Title</h1>",
      replace: "      <h1>$& $1 $$</h1>",
      first: 4,
      last: 4,
    });
    expect(textOf(result)).toBe(header.replace("Title", () => "$& $1 $$"));
    expect(result).toMatchObject({ first: 4, last: 4, note: null });
  });

  test("an ellipsis matches the lines between", () => {
    const search = "    <header>\n...\n    </header>".replace("<header>", '<header className="bar">');
    const result = edit(header, { search, replace: "    <nav />", first: 3, last: 5 });
    expect(textOf(result)).toBe("export function Header() {\n  return (\n    <nav />\n  );\n}\n");
  });

  test("an ellipsis on both sides keeps its lines", () => {
    const search = '    <header className="bar">\n...\n    </header>';
    const replace = '    <header className="bar sticky">\n...\n    </header>';
    expect(textOf(edit(header, { search, replace, first: 3, last: 5 }))).toBe(header.replace('"bar"', '"bar sticky"'));
  });

  test("three dots in the file are an ordinary line", () => {
    const python = "def f():\n    ...\n\ndef g():\n    return 1\n";
    const result = edit(python, { path: "a.py", search: "def f():\n    ...", replace: "def f():\n    return 2" });
    expect(textOf(result)).toBe("def f():\n    return 2\n\ndef g():\n    return 1\n");
  });

  test("an empty replacement deletes the lines", () => {
    expect(textOf(edit("a1234\nb1234\nc1234\n", { search: "b1234", replace: "", first: 2, last: 2 }))).toBe(
      "a1234\nc1234\n",
    );
  });

  test("keeps the byte order mark, the line endings and a missing final one", () => {
    const file = "\uFEFFone()\r\ntwo()\r\nthree()";
    const result = edit(file, { search: "two()\nthree()", replace: "2()\n3()\n4()", first: 2, last: 3 });
    expect(textOf(result)).toBe("\uFEFFone()\r\n2()\r\n3()\r\n4()");
    expect(textOf(edit(file, { search: "one()", replace: "1()", first: 1, last: 1 }))).toBe(file.replace("one", "1"));
  });
});

describe("inexact matches", () => {
  test("finds moved lines that occur once", () => {
    const file = `// new\n// lines\n${header}`;
    const result = edit(file, { search: "      <h1>Title</h1>", replace: "      <h1>Other</h1>", first: 4, last: 4 });
    expect(textOf(result)).toBe(file.replace("Title", "Other"));
    expect(result).toMatchObject({ note: expect.stringContaining("line 6") });
  });

  test("reindents a search with less indentation", () => {
    const search = "<h1>Title</h1>";
    const replace = "<h1>\n  Other\n</h1>";
    expect(textOf(edit(header, { search, replace, first: 4, last: 4 }))).toBe(
      header.replace("      <h1>Title</h1>", "      <h1>\n        Other\n      </h1>"),
    );
  });

  test("converts spaces to the file's tabs", () => {
    const file = "if (a) {\n\tif (b) {\n\t\trun();\n\t}\n}\n";
    const search = "  if (b) {\n    run();\n  }";
    const replace = "  if (b) {\n    run();\n    if (c) {\n      stop();\n    }\n  }";
    expect(textOf(edit(file, { search, replace }))).toBe(
      "if (a) {\n\tif (b) {\n\t\trun();\n\t\tif (c) {\n\t\t\tstop();\n\t\t}\n\t}\n}\n",
    );
  });

  test("repeated lines keep the file's spacing and characters", () => {
    const file = "const quote = “yes”;   \nconst other = 1;\nrun( quote );\n";
    const search = 'const quote = "yes";\nconst other = 1;';
    const replace = 'const quote = "yes";\nconst other = 2;';
    expect(textOf(edit(file, { search, replace, first: 1, last: 2 }))).toBe(file.replace("1;", "2;"));
  });

  test("line numbers of a view are not part of the text", () => {
    const search = '3:     <header className="bar">\n4:       <h1>Title</h1>';
    const replace = "3:     <header>\n4:       <h1>Title</h1>";
    expect(textOf(edit(header, { search, replace, first: 3, last: 4 }))).toBe(header.replace(' className="bar"', ""));
  });

  test("a marker in the replacement is expanded to the replaced lines", () => {
    const search = "export function Header() {\n...\n}";
    const replace =
      "export function Header() {\n  const [a] = useState(0);\n  return (\n    // ... keep existing code\n  );\n}";
    expect(textOf(edit(header, { search, replace, first: 1, last: 7 }))).toBe(
      header.replace("  return (", "  const [a] = useState(0);\n  return ("),
    );
    const unknown = replace.replace("  return (\n", "");
    expect(reasonOf(edit(header, { search, replace: unknown, first: 1, last: 7 }))).toMatch(/cannot be expanded/);
  });

  test("a marker on both sides keeps its lines", () => {
    const search = "export function Header() {\n  // ... existing code ...\n}";
    const replace = "export function Head() {\n  // ... existing code ...\n}";
    expect(textOf(edit(header, { search, replace, first: 1, last: 7 }))).toBe(header.replace("Header", "Head"));
  });
});

describe("ambiguous edits", () => {
  const twice = "a();\nsame(1);\nb();\nsame(1);\nc();\n";

  test("line numbers decide between equal places", () => {
    expect(textOf(edit(twice, { search: "same(1);", replace: "other();", first: 4, last: 4 }))).toBe(
      "a();\nsame(1);\nb();\nother();\nc();\n",
    );
  });

  test("without matching numbers, equal places are rejected and listed", () => {
    expect(reasonOf(edit(twice, { search: "same(1);", replace: "x();" }))).toMatch(/at 2 places[^]*2: same[^]*4: same/);
    expect(reasonOf(edit(twice, { search: "same(1);", replace: "x();", first: 3, last: 3 }))).toMatch(
      /not at the given line numbers/,
    );
  });

  test("numbers from before an earlier edit refer to the lines of that time", () => {
    const now = `// one more\n// and one\n${twice}`;
    const result = edit(now, { search: "same(1);", replace: "other();", first: 4, last: 4 }, [twice]);
    expect(reasonOf(result)).toMatch(/More than one place/);
    const stale = edit(now, { search: "same(1);", replace: "other();", first: 2, last: 2 }, [twice]);
    expect(textOf(stale)).toBe(now.replace("same(1);", "other();"));
  });

  test("lines removed by an earlier edit are not searched elsewhere", () => {
    const now = "a();\nchanged();\nb();\nsame(1);\nc();\n";
    expect(reasonOf(edit(now, { search: "same(1);", replace: "x();", first: 2, last: 2 }, [twice]))).toMatch(
      /were changed/,
    );
    expect(reasonOf(edit(now, { search: "same(1);", replace: "x();", first: 9, last: 9 }, [twice]))).toMatch(
      /One occurrence is left/,
    );
  });

  test("a loose match at the numbers and a closer one elsewhere are ambiguous", () => {
    const file = "if (a) {\n    run(1);\n}\nrun(1);\n";
    expect(reasonOf(edit(file, { search: "run(1);", replace: "x();", first: 2, last: 2 }))).toMatch(
      /More than one place/,
    );
  });

  test("brackets alone are not searched elsewhere", () => {
    expect(reasonOf(edit(header, { search: "}", replace: "};", first: 3, last: 3 }))).toMatch(/too short/);
  });

  test("an ellipsis with a different number of lines is rejected", () => {
    const search = '    <header className="bar">\n...\n    </header>';
    expect(reasonOf(edit(header, { search, replace: "    <nav />", first: 3, last: 9 }))).toMatch(/may have changed/);
  });

  test("indentation that cannot be converted is rejected with the current lines", () => {
    const search = '<header className="bar">\n<h1>Title</h1>\n</header>';
    expect(reasonOf(edit(header, { search, replace: "<nav>\n<h1>Title</h1>\n</nav>", first: 3, last: 5 }))).toMatch(
      /indentation[^]*3: {5}<header/,
    );
  });
});

test("line numbers decide between very many equal places", () => {
  const file = "item();\n".repeat(3000);
  const expected = `${"item();\n".repeat(2499)}last();\n${"item();\n".repeat(500)}`;
  expect(textOf(edit(file, { search: "item();", replace: "last();", first: 2500, last: 2500 }))).toBe(expected);
});

test.each([
  ["a period", "a\nb\n".repeat(100_000), "a\nb\n".repeat(1_900) + "b\na"],
  ["one line again and again", "a\n".repeat(200_000), "a\n".repeat(3_900)],
  ["an ellipsis the wrong way round", "b\n".repeat(50_000) + "a\n".repeat(50_000), "a\n...\nb"],
  ["blank lines", "\n".repeat(400_000), "x"],
  ["a search longer than any", "a\n".repeat(10), "a\n".repeat(100_000)],
])("a file made to be slow is rejected in time: %s", (_, text, search) => {
  expect(edit(text, { search, replace: "x", first: 2, last: 3 }, [text, `${text}a`])).toMatchObject({ ok: false });
});

test("a mismatch returns the current lines and the nearest match", () => {
  const reason = reasonOf(
    edit(header, { search: "      <h1>Titel</h1>\n    </header>", replace: "x", first: 1, last: 2 }),
  );
  expect(reason).toContain("At lines 1-2:\n1: export function Header() {\n2:   return (");
  expect(reason).toContain("4:       <h1>Title</h1>\n5:     </header>");
});

test("rejects an empty search, reversed numbers and an edit without changes", () => {
  expect(reasonOf(edit(header, { search: " \n", replace: "x" }))).toMatch(/search is empty/);
  expect(reasonOf(edit(header, { search: "}", replace: "x", first: 7, last: 6 }))).toMatch(/is before the first/);
  expect(reasonOf(edit(header, { search: "      <h1>Title</h1>", replace: "      <h1>Title</h1>" }))).toMatch(
    /Nothing would/,
  );
});

test("random edits change exactly one place or nothing", () => {
  const word = fc.constantFrom(
    "run();",
    "stop();",
    "}",
    "{",
    "",
    "const a = 1;",
    "  run();",
    "\trun();",
    "…",
    "say(“a”);",
  );
  const counts = { done: 0, moved: 0, refused: 0 };
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 14 }),
      fc.nat(13),
      fc.nat(3),
      fc.array(word, { maxLength: 3 }),
      fc.option(fc.integer({ min: 1, max: 15 }), { nil: undefined }),
      fc.constantFrom("", " "),
      (lines, from, more, put, first, space) => {
        const start = Math.min(from, lines.length - 1);
        const wanted = lines.slice(start, start + 1 + more).map((line) => `${space}${line}${space}`);
        const last = first === undefined ? undefined : first + wanted.length - 1;
        const result = edit(lines.join("\n"), { search: wanted.join("\n"), replace: put.join("\n"), first, last });
        if (!result.ok) return void (counts.refused += 1);
        if (wanted.join("").trim() === "") return undefined;
        counts.done += 1;
        const after = result.text.split("\n");
        const rest = lines.slice(result.last);
        expect(after.slice(0, result.first - 1)).toEqual(lines.slice(0, result.first - 1));
        expect(after.slice(after.length - rest.length)).toEqual(rest);
        const taken = lines.slice(result.first - 1, result.last);
        expect(trim(taken)).toEqual(trim(wanted));
        if (result.first === first) return undefined;
        counts.moved += 1;
        const exact = countPlaces(lines, taken, (line) => line);
        expect(exact).toBe(1);
        expect(space === "" ? 1 : countPlaces(lines, taken, (line) => line.trim())).toBe(1);
        return undefined;
      },
    ),
    { numRuns: 4000, seed: 7 },
  );
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(200);
});

const trim = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trim())
    .join("\n")
    .trim();
const countPlaces = (lines: readonly string[], wanted: readonly string[], to: (line: string) => string): number =>
  lines.filter((_, index) => wanted.every((line, n) => to(lines[index + n] ?? "\n") === to(line))).length;

test("lines between two ellipses that occur twice are ambiguous", () => {
  const edit = { path: "x.txt", search: "alpha\n...\nsame\n...\nomega", first: 1, last: 5 };
  const twice = "alpha\nsame\nother\nsame\nomega\n";
  const refused = replaceLines(twice, { ...edit, replace: "alpha\n...\nnew\n...\nomega" });
  expect(refused).toMatchObject({ ok: false, reason: expect.stringContaining("more than once") });
  expect(replaceLines(twice, { ...edit, replace: "alpha\nomega" })).toMatchObject({ ok: true, text: "alpha\nomega\n" });
  const once = twice.replace("same", "else");
  expect(replaceLines(once, { ...edit, replace: "alpha\n...\nnew\n...\nomega" })).toMatchObject({
    ok: true,
    text: "alpha\nelse\nother\nnew\nomega\n",
  });
});
