import { z } from "zod";
import { MemoryField, memoryLimits, type MemoryView } from "../../protocol/memory.ts";
import { joinSources, readSources } from "../../protocol/context/untrusted.ts";
import { say, sentence } from "../../protocol/sentences.ts";
import { listUnrequested, planMemory, refuseSecrets, toMemoryView } from "../memory/memory.ts";
import { defineGroup } from "./group.ts";
import { defineTool, type CreateTool } from "./tool.ts";

const toText = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : typeof value === "number" ? `${value}` : value;

const Change = z.object({
  field: MemoryField,
  op: z
    .enum(["append", "replace", "remove"])
    .describe(
      "append adds to the field; replace overwrites it; remove deletes one entry, or the whole field if value is omitted",
    ),
  value: z
    .preprocess(toText, z.string().max(memoryLimits.totalCharacters))
    .optional()
    .describe(
      "Text; for extra a JSON object, or with remove the name of a key. Replacing with an empty text deletes the field.",
    ),
  reason: z.string().trim().min(1).max(300).describe("Why, in a few words; shown to the user"),
});
type Change = z.infer<typeof Change>;
const Input = z.object({
  changes: z.array(Change).max(16).optional().describe("Omit to view the stored memory"),
});

const Output = z.object({
  memory: z.record(z.string(), z.unknown()).optional(),
  changes: z.array(z.object({ changeId: z.string(), field: MemoryField, before: z.string(), after: z.string() })),
  note: z.string().optional(),
});

const group = defineGroup(
  "memory",
  `
  @workingmemory, remember, forget, don't forget, memoris, memoriz, keep in mind, note that, my name,
  call me, i live
  i like, i love, i prefer, i hate, i always, i usually, i never, i am, i'm, i’m, about me, from now on
  merk, erinner, vergiss, ich hei(?:ß|ss)e, mein name, nenn mich, ich wohne, ich mag, ich bevorzuge,
  ich bin, über mich
  souviens, retiens, rappelle, oublie, je m['’]appelle, mon nom, j['’]habite, j['’]aime, je préfère,
  je suis
  recuerd, olvid, me llamo, mi nombre, vivo$, me gusta, prefiero, soy$
  ricord, dimentic, mi chiamo, abito$, mi piace, preferisco, sono$
  lembr, esque, meu nome, moro$, gosto, prefiro, sou$
  запомн, помн, забуд, меня зовут, я живу, мне нрав, я люблю, предпочит, обо мне
  记住, 记得, 忘记, 忘掉, 我叫, 我的名字, 我住, 我喜欢, 我是, 覚え, 忘れ, 私の名前, と呼んで, 住んで, 好き, 기억, 잊어, 이름은, 살고, 좋아`,
);

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "working_memory",
    group,
    description:
      "Memory about the user across all threads, with the fields name, age, preferences, location, interests, tendencies, " +
      "notes, extra. View it, or append to, replace or remove fields. When the user shares a lasting fact about themselves, " +
      "or asks to remember or forget something, update it before using other tools. Never store secrets.",
    input: Input,
    output: Output,
    repeat: "keyed",
    effects: ["write"],
    remembers: ({ changes = [] }, { memory, question }) => {
      const unrequested = listUnrequested(memory, changes.map(toFieldChange), question);
      return unrequested.includes("adds") || (unrequested.includes("removes") && REMOVES);
    },
    limits: { timeoutMs: 5000, resultTokens: 2000 },
    locks: () => ["memory"],
    describe: ({ changes = [] }) =>
      changes.length === 0 ? "View memory" : toSentence(changes.map(toWords).join("; ")),
    summarize: (_, output) => toDigest(output as z.infer<typeof Output>),
    execute: async ({ changes = [] }, { read, userId, threadId, runId, key, untrusted, noteSources, ...context }) => {
      const rows = await read.memory(userId);
      noteSources(joinSources(...rows.map((row) => readSources(row.untrusted))));
      if (changes.length === 0) return { output: { memory: toValues(toMemoryView(rows)), changes: [] } };
      for (const { field, value = "", reason } of changes) refuseSecrets(field, value, reason);
      const run = await read.run(runId);
      const planned = changes.map(toFieldChange);
      const memory = new Map(rows.map(({ field, value }) => [field, value]));
      const question = context.isQuestionUntrusted ? "" : context.question;
      const unrequested = untrusted.length === 0 ? [] : listUnrequested(memory, planned, question);
      const { writes, events, ...plan } = await planMemory(read, {
        userId,
        key,
        threadId,
        messageId: run?.message ?? null,
        untrusted,
        // The model's reason may be untrusted text that the user has not approved.
        changes: planned.map((change, index) =>
          untrusted.length === 0 ? change : { ...change, reason: "", isOwn: unrequested[index] === undefined },
        ),
        now: clock.now(),
      });
      const changed = plan.changes.map(({ id, ...change }) => ({ changeId: id, ...change }));
      const note = changed.length === 0 ? "Nothing changed: memory already contains this." : undefined;
      return { output: { changes: changed, ...(note ? { note } : {}) }, commit: { writes, events } };
    },
  });
export default create;

const REMOVES = say(sentence("asks-forget"));

const toFieldChange = ({ value = "", ...change }: Change) => ({ ...change, value });

const toValues = (view: MemoryView): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(view).flatMap(([field, known]) =>
      known ? [[field, field === "extra" ? JSON.parse(known.value) : known.value]] : [],
    ),
  );

const toWords = ({ field, op, value = "" }: Change): string => {
  if (value === "") return `forget ${field}`;
  return `${op === "remove" ? "forget" : "remember"} ${field}: ${value}`;
};

const toSentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const toDigest = ({ changes, memory }: z.infer<typeof Output>): string => {
  if (memory) return `viewed memory: ${Object.keys(memory).join(", ") || "nothing"}`;
  return changes.length === 0 ? "nothing changed" : changes.map(({ field, after }) => `${field} = ${after}`).join("; ");
};
