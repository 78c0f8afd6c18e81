import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorStatus } from "../../protocol/errors.ts";
import type { Change } from "../../protocol/project/project.ts";
import { item, say, sentence } from "../../protocol/sentences.ts";
import de from "../../web/languages/de.ts";

/** A function of the page, its argument, and the text that it returns on a German page. */
type Row = readonly [name: string, value: unknown, text: string | RegExp];

const nameOf = (tool: string): string => de.toolLabels[tool]?.name ?? "";
const titles = [
  ["search_web", { query: "Ebbe" }, "Search the web for “Ebbe”", "Im Web suchen: Ebbe"],
  ["calculate", { expression: "6 * 7" }, "6 * 7", "Taschenrechner: 6 * 7"],
  [
    "rename_file",
    { original_file_path: "a.ts", new_file_path: "b.ts" },
    "Rename a.ts to b.ts",
    /^\P{L}*[^:]+: a\.ts → b\.ts$/u,
  ],
  [
    "scrape_webpage",
    { urls: ["https://a.example", "https://b.example"] },
    "Read",
    /: https:\/\/a\.example.*b\.example$/,
  ],
  ["create_entities", { entities: [{ kind: "task", title: "Streichen" }] }, "Add task “Streichen”", /: Streichen$/],
  ["update_entities", { updates: [{ id: "x" }] }, "Change x: state", nameOf("update_entities")],
  ["summarize", {}, "Summarize this thread", nameOf("summarize")],
  // Its title is the model's question, and that of an MCP tool is the server's.
  ["ask_user", { question: "Wann?" }, "Wann?", "Wann?"],
  ["mcp__harbor__tide", { place: "Brest" }, "Tide (harbor)", "Tide (harbor)"],
].map(([name, input, title, text]) => ["titleOf", { name, input, title, state: "ok" }, text] as Row);

const items = [item("item-named", "task", "Anruf"), item("item-named", "event", "Fest"), item("item-more", 2)];
const approvals: readonly Row[] = [
  ["toPageText", say(sentence("asks-items", items)), "Die Aufgabe „Anruf“, den Termin „Fest“ und 2 weitere löschen?"],
  [
    "toPageText",
    say(sentence("asks-sources", ["a.example", item("item-more", 3)])),
    /aus: a\.example und 3 weitere\.$/,
  ],
  // Stored by an earlier version, or by a tool that gives only a text.
  ["toPageText", { text: "It deletes something." }, "It deletes something."],
];

const change = (what: Change["what"], id: string, before: object | null, after: object | null) => ({
  ...{ what, id, before, after },
  title: what === "edge" ? `"A" ${id.split(" ")[1]} "B"` : id,
});
type Changes = readonly ReturnType<typeof change>[];
const [gone, made] = [change("entity", "Anruf", {}, null), change("entity", "Anruf", null, {})];
const act = (changes: Changes, text: string, stored = "English", undoes: string | null = null): Row => [
  "toActText",
  { text: stored, changes, undoes },
  text,
];
const acts: readonly Row[] = [
  act([made], "Angelegt: „Anruf“"),
  act([gone], "Gelöscht: „Anruf“"),
  act(
    [change("entity", "Anruf", { state: "open" }, { state: "done", position: 2 })],
    "Auf „erledigt“ gesetzt: „Anruf“",
  ),
  act([change("entity", "Anruf", { parentId: "x" }, { parentId: "y", position: 2 })], "Verschoben: „Anruf“"),
  act([change("entity", "Anruf", { title: "A", body: "" }, { title: "B", body: "c" })], "Geändert: „Anruf“"),
  act([change("edge", "a blocks b", null, {})], 'Verknüpft: "A" blockiert "B"'),
  act([change("file", "a.ts", { hash: "1" }, { hash: "2" })], "Geändert: a.ts"),
  act(
    [change("file", "a.ts", { hash: "1" }, null), change("file", "b.ts", null, { hash: "1" })],
    "Umbenannt: a.ts → b.ts",
  ),
  act([change("project", "p", { name: "A" }, { name: "B" })], "Projekt geändert"),
  act(
    ["a", "b", "c", "d", "e"].map((id) => change("file", id, null, {})),
    "Angelegt: a, b, c und 2 weitere",
  ),
  act([gone], "Rückgängig gemacht: Angelegt: „Anruf“", 'Undid: Created task "Anruf"', "one"),
  act([made], "Rückgängig gemacht: Gelöscht: „Anruf“", 'Undid: Deleted task "Anruf"', "one"),
  act([gone], "Erneut ausgeführt: Gelöscht: „Anruf“", 'Redid: Deleted task "Anruf"', "two"),
];

const { byCode } = de.errors;
const errors = [
  ["not-found", "Not found.", byCode["not-found"]],
  ["busy", "The project is being changed. Try again in a moment.", byCode.busy],
  ["bug", "Something went wrong on the server.", byCode.bug],
  ["conflict", "The name is used.", `${byCode.conflict} Die Meldung des Servers lautet: „The name is used.“`],
  ["invalid", 'The body "key" is not valid: too short', /„Too short\.“$/],
  ["constructor", "Odd.", "Odd."],
].map(([code, message, text]) => ["toSentence", { code, message }, text] as Row);

const rows = [...titles, ...approvals, ...acts, ...errors];
const isAs = (expected: string | RegExp, text: string): boolean =>
  typeof expected === "string" ? text === expected : expected.test(text);

const program = join(import.meta.dirname, "german-page.ts");
const shown = JSON.parse(
  execFileSync(process.execPath, [program, JSON.stringify(rows)], { encoding: "utf8" }),
) as readonly string[];

test.each(rows.map(([name, , text], index) => [name, text, shown[index]] as const))(
  "a German page shows titles, approvals, acts and errors in German: %s %s",
  (_, text, german) => {
    expect({ german, fits: isAs(text, german ?? "") }).toEqual({ german, fits: true });
  },
);

test("every code of an error has a sentence", () => {
  expect(Object.keys(byCode).toSorted()).toEqual(Object.keys(errorStatus).toSorted());
});
