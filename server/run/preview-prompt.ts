import type { Body } from "../../protocol/api.ts";
import type { RequestBlock } from "../../protocol/context/context-api.ts";
import { rebuild } from "../context/assemble.ts";
import { countTokens } from "../lib/tokens.ts";
import { toPreferences } from "../store/parse-rows.ts";
import type { RowOf } from "../store/schema.ts";
import { readSendable } from "../thread/attachments/attachments.ts";
import type { InputBody } from "../thread/rows.ts";
import { planDelivery } from "./deliver.ts";
import { extend } from "./limits.ts";
import { openCatalog } from "./open-catalog.ts";
import { overlayReads } from "./overlay-reads.ts";
import { loadProfile, withInstructions } from "./own-profiles.ts";
import { toShownTools } from "./rebuild-request.ts";
import type { RunDeps } from "./running.ts";
import { prepare } from "./step/prepare.ts";

/** The request that sending this message would make. Nothing is stored or sent. */
export async function previewPrompt(
  deps: RunDeps,
  thread: RowOf<"threads">,
  { text, model, attachments = [] }: Body<"previewContext">,
) {
  const { store, clock } = deps;
  const { read } = store;
  await readSendable(read, { owner: thread.owner, threadId: thread.id, ids: attachments });
  const body: InputBody = { text, model: model ?? null, target: null, attachments };
  const input: RowOf<"inputs"> = {
    thread: thread.id,
    id: deps.ids.next(),
    kind: "message",
    mode: "queue",
    hash: "",
    body: JSON.stringify(body),
    state: "queued",
    seq: 0,
    created_at: clock.now(),
  };
  const { state, toBatch } = await planDelivery(deps, thread, input);
  const planned = overlayReads(read, toBatch(state));
  if (!planned) throw new Error("The previewed message would fork a branch. This is a bug.");
  const { owner: ownerId, temporary } = thread;
  const preferences = toPreferences(await read.preferences(ownerId));
  const profile = withInstructions(await loadProfile(deps, ownerId, thread.profile), preferences);
  const { snapshot, assembled } = await prepare(
    {
      ...deps,
      store: { ...store, read: planned },
      catalog: await openCatalog(deps, { ownerId, isTemporary: temporary === 1, preferences }),
      preferences,
      profile,
      limits: extend(profile.limits, 0),
    },
    state,
    deps.models.find(state.model),
    null,
  );
  const { id, depth, part: n } = snapshot.answer;
  const { tokens: _, ...update } = assembled.update ?? { tokens: 0, text: "" };
  const messages = new Map(snapshot.messages.map((message) => [message.id, message]));
  const answer = messages.get(id);
  if (answer) {
    const context = { id: `${id}.${n}`, v: 1, n, step: 1, kind: "context", ...update } as const;
    messages.set(id, { ...answer, depth, parts: [...answer.parts, context] });
  }
  const { system, tools } = snapshot;
  const summaryHead = assembled.compaction?.summaryHead ?? snapshot.compaction?.summaryHead;
  const stored = { system, tools, summaryHead, message: (key: string) => messages.get(key) };
  const { blocks } = rebuild(assembled.receipt, stored, countTokens);
  return {
    receipt: assembled.receipt,
    system,
    tools: toShownTools(tools),
    blocks: [...blocks] as RequestBlock[],
  };
}
