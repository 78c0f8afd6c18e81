import { expect, test } from "vitest";
import type { Response } from "../../../../protocol/api.ts";
import { policyNames } from "../../../../protocol/context/policy.ts";
import { attach } from "../../../support/attachments/attach.ts";
import { toPng } from "../../../support/attachments/files.ts";
import { mintId } from "../../../support/instance.ts";
import { findPostgres } from "../../../support/postgres-binaries.ts";
import { createDatabase } from "../../../support/postgres.ts";
import { create, startProjectInstance } from "../../../support/project/project-instance.ts";
import { tool } from "../../../support/server/loop-tools.ts";
import { createDice } from "./dice.ts";

const isDeep = process.env["STONECHAT_DEEP"] === "1";
const REQUESTS = Number(process.env["RECEIPT_HTTP_REQUESTS"] ?? (isDeep ? 1_000 : 15));
const SEED = Number(process.env["RECEIPT_SEED"] ?? 1);
const TIMEOUT_MS = isDeep ? 30 * 60_000 : 120_000;

/** The second is sent its own reasoning again, the third is sent pictures. */
const models = ["compatible/m", "compatible/deepseek-chat", "compatible/llava"] as const;

type Line = { readonly role: string; readonly text: string };

/** The part of a chat-completions body that a receipt accounts for. */
type Body = {
  readonly messages: readonly {
    readonly role: "system" | "user" | "assistant" | "tool";
    readonly content: string | readonly { readonly type: string; readonly text: string }[] | null;
    readonly reasoning_content?: string;
    readonly tool_call_id?: string;
    readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
  }[];
  readonly tools?: readonly { readonly function: { name: string; description: string; parameters: object } }[];
};

/** Neighbors of one role are one message to some providers. */
const join = (lines: readonly Line[]): readonly Line[] =>
  lines.reduce<Line[]>((joined, line) => {
    const last = joined.at(-1);
    if (last?.role !== line.role) return [...joined, line];
    return [...joined.slice(0, -1), { ...last, text: `${last.text}\n\n${line.text}` }];
  }, []);

function readBody({ messages, tools = [] }: Body) {
  const names = new Map(
    messages.flatMap(({ tool_calls: calls = [] }) => calls.map((one) => [one.id, one.function.name] as const)),
  );
  const lines = messages.map(({ role, content, reasoning_content: thought = "", ...more }): Line => {
    const { tool_calls: calls = [], tool_call_id: id = "" } = more;
    const text =
      typeof content === "string"
        ? content
        : (content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
    if (role === "tool") return { role, text: `${names.get(id)}: ${text}` };
    const said = calls.map((one) => `${one.function.name}(${one.function.arguments})`);
    const first = thought === "" ? [] : [`(thinking) ${thought}`];
    return { role, text: [...first, ...(text === "" ? [] : [text]), ...said].join("\n\n") };
  });
  return {
    lines: join(lines),
    tools: tools.map(({ function: { name, description, parameters } }) => ({
      name,
      description,
      inputSchema: parameters,
    })),
  };
}

const readReceipt = ({ blocks, tools }: Response<"getRequest">) => ({
  lines: join(blocks.map(({ role, text }) => ({ role, text }))),
  tools,
});

/** Random conversations with a provider on loopback: tools, long results, files, steering, a project, all policies. */
async function drive(env: Readonly<Record<string, string>>, alter = (body: Body): Body => body) {
  const dice = createDice(SEED);
  const counts = {
    requests: 0,
    files: 0,
    steered: 0,
    compactions: 0,
    shortened: 0,
    projects: 0,
    thought: 0,
    sentThoughts: 0,
    pictures: 0,
    unsentPictures: 0,
  };
  let steer = async (): Promise<void> => {};
  const look = tool({
    name: "look",
    limits: { timeoutMs: 20_000, resultTokens: 1_500 },
    execute: async () => {
      await steer();
      return { output: dice.words(dice.pick([10, 300, 2_500])) };
    },
  });
  const instance = await startProjectInstance({
    provider: "compatible",
    env: { ...env, STONECHAT_COMPATIBLE_MODELS: models.map((model) => model.replace("compatible/", "")).join(",") },
    tools: [look],
    reply: (body) => {
      if (!dice.chance(0.5) || !JSON.stringify(body["tools"] ?? []).includes('"look"'))
        return `${dice.mark()} ${dice.words(dice.pick([5, 200]))}`;
      const calls = Array.from({ length: dice.between(1, 2) }, () => ({ name: "look", input: { q: dice.mark() } }));
      if (!dice.chance(0.7)) return { calls };
      counts.thought += 1;
      return { calls, thinking: `${dice.mark()} ${dice.words(dice.pick([5, 400]))}`, inTags: dice.chance(0.3) };
    },
  });
  const { client, url, start, follow, sent, projectId, act } = instance;
  await act(create("task", "t0", "Mend the crane"));
  while (counts.requests < REQUESTS) {
    const begun = sent().length;
    const inProject = dice.chance(0.5);
    counts.projects += inProject ? 1 : 0;
    const threadId = await start(inProject ? { projectId } : {});
    const params = { threadId };
    await client.changeThread({ params, body: { id: mintId(), policy: dice.pick(policyNames) } });
    const live = follow(threadId);
    const ids: string[] = [];
    const say = async (mode: "queue" | "steer", attachments: string[] = []): Promise<void> => {
      const id = mintId("message");
      ids.push(id);
      const text = `${dice.mark()} ${dice.words(dice.pick([5, 120, 1_500]))}`;
      const other = mode === "queue" && dice.chance(0.5) ? { model: dice.pick(models) } : {};
      await client.sendMessage({ params, body: { id, text, mode, attachments, ...other } });
    };
    for (let turn = dice.between(4, 12); turn > 0; turn -= 1) {
      const hasFile = dice.chance(0.3);
      counts.files += hasFile ? 1 : 0;
      if (inProject && dice.chance(0.3)) await act(create("task", mintId("task"), dice.words(4)));
      const file = dice.chance(0.5)
        ? { name: "notes.md", bytes: dice.words(200) }
        : { name: "cat.png", bytes: toPng(40, 30) };
      const files = hasFile ? [await attach(url, { ...file, threadId })] : [];
      let isSteered = !dice.chance(0.3);
      steer = async () => {
        if (isSteered) return;
        isSteered = true;
        counts.steered += 1;
        await say("steer");
      };
      await say(
        "queue",
        files.map(({ id }) => id),
      );
      await live.until(
        ({ messages, run }) => ids.every((id) => messages.some((one) => one.id === id)) && run?.state === "ended",
      );
    }
    live.close();
    const { receipts } = await client.listReceipts({ params, query: { limit: 200 } });
    const bodies = sent().slice(begun);
    expect(receipts).toHaveLength(bodies.length);
    for (const [index, { id, opened }] of receipts.toReversed().entries()) {
      const built = await client.getRequest({ params: { threadId, receiptId: id } });
      const { receipt } = await client.getReceipt({ params: { threadId, receiptId: id } });
      const place = `seed ${SEED} request ${counts.requests} ${receipt.policy}`;
      expect(built, place).toMatchObject({ verified: true, missing: [] });
      expect(readReceipt(built), place).toEqual(readBody(alter(bodies[index]!.body as unknown as Body)));
      counts.requests += 1;
      const isShown = bodies[index]!.text.includes('"image_url"');
      counts.pictures += isShown ? 1 : 0;
      counts.unsentPictures += receipt.items.some(({ notSent }) => notSent) ? 1 : 0;
      expect(isShown && receipt.leftOut.some(({ why }) => why === "no-vision"), place).toBe(false);
      counts.sentThoughts += /"reasoning_content":"[^"]/.test(bodies[index]!.text) ? 1 : 0;
      counts.compactions += opened === null ? 0 : 1;
      counts.shortened += receipt.items.some(({ shortened }) => shortened) ? 1 : 0;
    }
  }
  return counts;
}

async function expectSame(env: Readonly<Record<string, string>>): Promise<void> {
  const counts = await drive(env);
  if (isDeep) console.log(SEED, JSON.stringify(counts));
  expect(counts.requests).toBeGreaterThanOrEqual(REQUESTS);
  // Too few requests need not have everything.
  if (REQUESTS < 200) return;
  for (const name of [
    "files",
    "steered",
    "shortened",
    "projects",
    "sentThoughts",
    "pictures",
    "unsentPictures",
  ] as const) {
    expect(counts[name], name).toBeGreaterThan(0);
  }
}

test(
  "each HTTP body has the texts and tools that its receipt gives, in the same order, on SQLite",
  { timeout: TIMEOUT_MS },
  () => expectSame({}),
);

test.skipIf(!findPostgres())(
  "each HTTP body has the texts and tools that its receipt gives, in the same order, on PostgreSQL",
  { timeout: TIMEOUT_MS },
  async () => {
    await expectSame({ STONECHAT_DATABASE_URL: await createDatabase() });
  },
);

test("a body with one message more than its receipt gives is caught (control)", { timeout: TIMEOUT_MS }, async () => {
  const more = { role: "user", content: "Unseen." } as const;
  const driven = drive({}, (body) => ({ ...body, messages: [...body.messages, more] }));
  await expect(driven).rejects.toThrow(/request 0 .* to deeply equal/);
});

test("a body with one message less than its receipt gives is caught (control)", { timeout: TIMEOUT_MS }, async () => {
  const driven = drive({}, (body) => ({ ...body, messages: body.messages.slice(0, -1) }));
  await expect(driven).rejects.toThrow(/request 0 .* to deeply equal/);
});
