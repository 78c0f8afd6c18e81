import { expect, test } from "vitest";
import { mintId } from "../../support/instance.ts";
import {
  create,
  startProjectInstance,
  readMetric,
  toPromptText,
  type ProjectInstance,
} from "../../support/project/project-instance.ts";
import { until } from "../../support/server/until.ts";

/** Project digests in compactions, prompt previews and receipts, and when the project cannot be read. */
const FILLER = "The tide tables of the harbour were read aloud once more. ".repeat(60);

test("a compaction includes the project digest, and later prompts only have changes", async () => {
  const instance = await startProjectInstance({
    provider: "compatible",
    reply: (_, index) => `Noted ${index}. ${FILLER}`,
  });
  await instance.act(create("task", "t1", "Mend the crane"));
  const threadId = await instance.start({ projectId: instance.projectId });
  let cut = 0;
  for (let turn = 1; turn <= 24; turn += 1) {
    if (turn % 5 === 0) await instance.act(create("task", `n${turn}`, `Chore of turn ${turn}`));
    const [words = ""] = await instance.ask(threadId, `Fact ${turn}. ${FILLER}`);
    const { receipt, id } = await instance.receiptOf(threadId);
    const built = await instance.client.getRequest({ params: { threadId, receiptId: id } });
    expect(built, `turn ${turn}`).toMatchObject({ verified: true, missing: [] });
    expect(words, `turn ${turn}`).toContain("Mend the crane");
    for (let told = 5; told <= turn; told += 5) expect(words, `turn ${turn}`).toContain(`Chore of turn ${told}`);
    expect(receipt.promptTokens + receipt.budget.reserve).toBeLessThanOrEqual(receipt.budget.window);
    if (receipt.epoch.opened === null) continue;
    cut += 1;
    const item = receipt.items.find(({ slot, kind }) => slot === "head" && kind === "digest");
    expect(item).toMatchObject({ id: "project", why: "digest" });
    expect(words.indexOf("<context")).toBeLessThan(words.indexOf("<project-digest"));
  }
  expect(cut).toBeGreaterThan(0);
  expect(await readMetric(instance.url, "prompt_prefix_breaks")).toBe(0);
}, 120_000);

test("a prompt preview equals the prompt that is sent, and its receipt names the digest", async () => {
  const instance = await startProjectInstance({ reply: () => "Yes." });
  await instance.act(create("task", "t1", "Mend the crane"));
  for (const policy of ["stone", "snapshot", "messages"] as const) {
    const threadId = await instance.start({ projectId: instance.projectId });
    await instance.client.changeThread({ params: { threadId }, body: { id: mintId(), policy } });
    const preview = await instance.client.previewContext({ params: { threadId }, body: { text: "What is open?" } });
    expect(preview.receipt.items.some(({ kind }) => kind === "digest")).toBe(true);
    const shown = preview.blocks.map(({ text }) => text).join("\n");
    const [words = ""] = await instance.ask(threadId, "What is open?");
    for (const part of [shown, words]) expect(part, policy).toContain("Mend the crane");
    const digest = /<(project-digest|work-data)\b[\s\S]*<\/\1>/;
    expect(digest.exec(shown)?.[0], policy).toBe(digest.exec(words)?.[0]);
  }
});

test("the policy snapshot puts ids, names, state and summary in one block of every step, and data as JSON in the next", async () => {
  let isLast = false;
  const instance = await startProjectInstance({
    reply: (body) => {
      const hasResult = JSON.stringify(body).includes("tool_result");
      return isLast && !hasResult ? { calls: [{ name: "calculate", input: { expression: "6*7" } }] } : "Yes.";
    },
    project: { instructions: "Be brief." },
  });
  await instance.act(create("task", "t1", "Mend the crane", { body: "x" }));
  const threadId = await instance.start({ projectId: instance.projectId, focusId: "t1" });
  await instance.client.changeThread({ params: { threadId }, body: { id: mintId(), policy: "snapshot" } });
  await instance.ask(threadId, "My berth is B-4711. Please note it.");
  await instance.ask(threadId, "Thank you.");
  await instance.client.summarize({ params: { threadId }, body: { id: mintId() } });
  const isMade = async () =>
    (await instance.client.listSummaries({ params: { threadId } })).summaries[0]?.status !== "generating";
  await until("the summary is made", isMade);
  isLast = true;
  const steps = await instance.ask(threadId, "What is open?");
  expect(steps).toHaveLength(2);
  const body = instance.sent().at(-1)?.body;
  expect(JSON.stringify(body.system)).not.toContain("Harbour");
  const words = toPromptText(body);
  const block = /<work-context>[\s\S]*<\/work-data>/;
  expect(block.exec(steps[0]!)?.[0]).toBe(block.exec(words)?.[0]);
  const context = JSON.parse(/<work-context>\n(.*)\n<\/work-context>/.exec(words)?.[1] ?? "{}");
  expect(context).toMatchObject({
    mode: "focus",
    project: { id: instance.projectId, name: "Harbour" },
    focus: { id: "t1", title: "Mend the crane" },
    agent_state: expect.stringContaining("My berth is B-4711."),
    conversation_summary: expect.stringContaining("B-4711"),
  });
  const content = JSON.parse(/<work-data>\n(.*)\n<\/work-data>/.exec(words)?.[1] ?? "{}");
  expect(content.tasks).toMatchObject({ total: 1, open: 1, told: [{ id: "t1", title: "Mend the crane" }] });
  expect(content.focus).toMatchObject({ id: "t1", version: 1, body: "x" });
  expect(words).toContain("Be brief.");
  expect(words.indexOf("<work-context>")).toBeLessThan(words.indexOf("<work-data>"));
});

/** The reads of one project fail from here on, until it is called. */
function breakReads({ server: { store } }: ProjectInstance): () => void {
  const read = store.read as { digestOutline: unknown };
  const { digestOutline } = read;
  read.digestOutline = () => Promise.reject(new Error("the disk is away"));
  return () => void (read.digestOutline = digestOutline);
}

test("a failed load falls back to ids and names, is noted in the receipt, and is retried", async () => {
  const instance = await startProjectInstance({ reply: () => "Yes." });
  await instance.act(create("task", "t1", "Mend the crane"));
  const threadId = await instance.start({ projectId: instance.projectId });
  const repair = breakReads(instance);
  const [failed = ""] = await instance.ask(threadId, "Hello");
  expect(failed).toContain(`<project-digest mode="project" project="${instance.projectId}">`);
  expect(failed).toContain('name: "Harbour"');
  expect(failed).toContain("could not be read just now");
  expect(failed).not.toContain("Mend the crane");
  const item = (await instance.receiptOf(threadId)).receipt.items.find(({ kind }) => kind === "digest");
  expect(item).toMatchObject({
    id: "project",
    why: "load-failed",
    note: "only ids are included: the project could not be read",
  });
  repair();
  const [again = ""] = await instance.ask(threadId, "And now?");
  expect(again.slice(failed.length)).toContain("Mend the crane");
  const repairOnceMore = breakReads(instance);
  await instance.act(create("task", "t2", "Buy rope"));
  const [stale = ""] = await instance.ask(threadId, "And then?");
  expect(stale.slice(again.length)).toContain("could not be read just now");
  repairOnceMore();
  const [last = ""] = await instance.ask(threadId, "At last?");
  expect(last.slice(stale.length)).toContain('"Buy rope": added');
  expect(await readMetric(instance.url, "prompt_prefix_breaks")).toBe(0);
});
