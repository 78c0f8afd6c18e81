import type { Body } from "../../protocol/api.ts";
import type { SharedMessage, SharedThread } from "../../protocol/account/shares.ts";
import { OF_SHARE } from "../../protocol/context/untrusted.ts";
import type { ThreadSummary } from "../../protocol/events.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import { PART_VERSION, type Part } from "../../protocol/parts.ts";
import type { Principal } from "../auth/principal.ts";
import { countTokens } from "../lib/tokens.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { commitCreation, toThreadRow, type CreateOptions } from "./create-thread.ts";
import { toSummary } from "./rows.ts";
import { indexMessage, indexTitle } from "./search-docs.ts";
import { toPreview } from "./title.ts";

/**
 * Stores a shared snapshot as a new private thread of this user, who can continue it. All of its texts are untrusted: another user
 * may have written them. The same request again returns the same thread.
 */
export async function copyShared(
  options: CreateOptions,
  { userId }: Pick<Principal, "userId">,
  { shared, body }: { readonly shared: SharedThread; readonly body: Body<"copyShared"> },
): Promise<ThreadSummary> {
  const { models, access, clock, ids } = options;
  const now = clock.now();
  // A prompt begins with a user message. A long snapshot may have lost the one before its first answer.
  const firstQuestion = shared.messages.findIndex(({ role }) => role === "user");
  const messages = shared.messages.slice(Math.max(0, firstQuestion));
  const lastAnswer = messages.findLast(({ role }) => role === "assistant");
  const model = (await access?.defaultFor(userId)) ?? models.forUser(userId).defaultId;
  const row: RowOf<"threads"> = {
    ...toThreadRow(
      { id: body.id, title: shared.title, profile: "stone" },
      { owner: userId, model, branch: ids.next(), now, shared: false },
    ),
    preview: lastAnswer ? toPreview(toText(lastAnswer)) : "",
    message_count: messages.length,
  };
  const created = { type: "thread-created" as const, thread: toSummary(row) };
  const activated = { type: "branch-activated" as const, branchId: row.branch, forkDepth: 0, reload: true };
  return commitCreation(options, {
    row,
    request: { sharedAt: shared.sharedAt, title: shared.title, ...body },
    events: [
      { stream: threadStream(row.id), event: created },
      { stream: userStream(userId), event: created },
      // No event delivers the copied messages, so readers of the stream load them.
      { stream: threadStream(row.id), event: activated },
    ],
    root: { thread: row.id, id: row.branch, parent: null, fork_depth: 0, tip: messages.length, used_at: now },
    writes: [
      ...indexTitle(row, row.title),
      ...messages.flatMap((message, index) => planMessage(row, { id: ids.next(), depth: index + 1, message })),
    ],
  });
}

type MessagePosition = { readonly id: string; readonly depth: number; readonly message: SharedMessage };

function planMessage(thread: RowOf<"threads">, { id, depth, message }: MessagePosition): readonly Write[] {
  const { role, createdAt } = message;
  const step = role === "user" ? 0 : 1;
  return [
    {
      do: "insert",
      table: "messages",
      row: {
        ...{ thread: thread.id, id, branch: thread.branch, depth, role, run: null, created_at: createdAt },
        ...{ author: null, author_name: null },
      },
    },
    ...toContents(message).map((content, n): Write => {
      const body = JSON.stringify({ id: `${id}.${n}`, v: PART_VERSION, n, step, untrusted: [OF_SHARE], ...content });
      const tokens = content.kind === "text" ? countTokens(content.text) : 0;
      const { kind } = content;
      return {
        do: "insert",
        table: "parts",
        row: { thread: thread.id, message: id, n, v: PART_VERSION, kind, tokens, body },
      };
    }),
    ...indexMessage(thread, { id, created_at: createdAt }, toText(message)),
  ];
}

type WithoutPlace<P> = P extends Part ? Omit<P, "id" | "v" | "n" | "step"> : never;
type Content = WithoutPlace<Part>;

/** Calls of tools are left out: the snapshot has neither their input nor their output. */
function toContents({ role, model, parts }: SharedMessage): readonly Content[] {
  const begin: Content[] = role === "assistant" ? [{ kind: "step", attempt: 1, model: model ?? "unknown" }] : [];
  const shown = parts.flatMap((part): readonly Content[] => {
    switch (part.kind) {
      case "text":
        return [{ ...part, state: "done" }];
      case "source": {
        const { url, ref, title } = part;
        const source: Content = { kind: "source", sourceType: "url", title, status: "found" };
        return [{ ...source, ...(url === null ? {} : { url }), ...(ref === null ? {} : { ref }) }];
      }
      case "notice":
        return [{ ...part, code: "shared" }];
      case "file":
        return [toMissing(part.name)];
      case "tool":
        return [];
    }
  });
  return [...begin, ...shown];
}

const toMissing = (name: string): Content => ({
  kind: "notice",
  level: "info",
  code: "file-not-shared",
  text: `The file ${name || "without a name"} is not part of a shared thread.`,
});

const toText = ({ parts }: SharedMessage): string =>
  parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
