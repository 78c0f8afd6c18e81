import type { Body } from "../../protocol/api.ts";
import type { RequestBlock } from "../../protocol/context/context-api.ts";
import { rebuild } from "../context/assemble.ts";
import { countTokens } from "../lib/tokens.ts";
import { toPreferences } from "../store/parse-rows.ts";
import type { RowOf } from "../store/schema.ts";
import { readSendable } from "../thread/attachments/attachments.ts";
import { toAuthorColumns, type InputBody } from "../thread/rows.ts";
import { findAuthor } from "../thread/shared.ts";
import { planDelivery } from "./deliver.ts";
import { extend } from "./limits.ts";
import { openCatalog } from "./open-catalog.ts";
import { overlayReads } from "./overlay-reads.ts";
import { loadProfile, toRunPreferences, toRunProfile, withInstructions } from "./own-profiles.ts";
import { toShownTools } from "./rebuild-request.ts";
import type { RunDeps } from "./run-context.ts";
import { prepare } from "./step/prepare.ts";

/** The request that sending this message would make. Nothing is stored or sent. */
export async function previewPrompt(
  deps: RunDeps,
  userId: string,
  thread: RowOf<"threads">,
  { text, model, attachments = [] }: Body<"previewContext">,
) {
  const { store, clock } = deps;
  const { read } = store;
  await readSendable(read, { owner: userId, threadId: thread.id, ids: attachments });
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
    ...toAuthorColumns(await findAuthor(read, { userId }, thread)),
  };
  const { state, toBatch } = await planDelivery(deps, thread, input);
  const planned = overlayReads(read, toBatch(state));
  if (!planned) throw new Error("The previewed message would fork a branch. This is a bug.");
  const { temporary } = thread;
  const { ownerId } = state;
  const isShared = thread.shared === 1;
  const preferences = toRunPreferences(toPreferences(await read.preferences(ownerId)), isShared);
  const profile = withInstructions(await loadProfile(deps, thread.owner, toRunProfile(thread)), preferences);
  const { inputs, assembled } = await prepare(
    {
      ...deps,
      store: { ...store, read: planned },
      catalog: await openCatalog(deps, { ownerId, isTemporary: temporary === 1, isShared, preferences }),
      preferences,
      profile,
      limits: extend(profile.limits, 0),
    },
    state,
    deps.models.forUser(ownerId).find(state.model),
    null,
  );
  const { id, depth, part: n } = inputs.answer;
  const { tokens: _, ...update } = assembled.update ?? { tokens: 0, text: "" };
  const messages = new Map(inputs.messages.map((message) => [message.id, message]));
  const answer = messages.get(id);
  if (answer) {
    const context = { id: `${id}.${n}`, v: 1, n, step: 1, kind: "context", ...update } as const;
    messages.set(id, { ...answer, depth, parts: [...answer.parts, context] });
  }
  const { system, tools } = inputs;
  const summaryHead = assembled.compaction?.summaryHead ?? inputs.compaction?.summaryHead;
  const stored = { system, tools, summaryHead, message: (key: string) => messages.get(key) };
  const { blocks } = rebuild(assembled.receipt, stored, countTokens);
  return {
    receipt: assembled.receipt,
    system,
    tools: toShownTools(tools),
    blocks: [...blocks] as RequestBlock[],
  };
}
