import { createHash } from "node:crypto";
import { ApiError } from "../../protocol/errors.ts";
import { userStream } from "../../protocol/ids.ts";
import type { Share, SharedThread } from "../../protocol/account/shares.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import type { Secrets } from "../run/secrets.ts";
import type { Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Threads } from "../thread/threads.ts";
import { createRateLimit } from "./share-rate-limit.ts";
import { takeSnapshot } from "./share-snapshot.ts";

/**
 * Read-only snapshots of threads under unguessable links. Creating one returns a token, of which only the hash is stored. The
 * token gives access to the snapshot only, until the owner revokes the share or deletes the thread.
 */
export type Shares = ReturnType<typeof createShares>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly seal: Seal;
  readonly threads: Pick<Threads, "get">;
  readonly secrets: Pick<Secrets, "redactorOf">;
  readonly clock: Clock;
};

const MOST = 500;

export function createShares({ store, log, seal, threads, secrets, clock }: Options) {
  const { read } = store;
  const limit = createRateLimit(clock);

  /** Includes the creation time, so that a share created again under the same id gets a new link. */
  const toToken = ({ owner, id, created_at }: Pick<RowOf<"shares">, "owner" | "id" | "created_at">): string =>
    seal.derive(`share ${JSON.stringify([owner, id, created_at])}`);

  const commit = async (owner: string, threadId: string, batch: Pick<Parameters<Log["commit"]>[0], "writes">) =>
    (
      await log.commit({
        events: [{ stream: userStream(owner), event: { type: "shares-changed", threadId } }],
        ...batch,
      })
    ).ok;

  const answer = (row: Parameters<typeof toShare>[0]) => {
    const token = toToken(row);
    return { share: toShare(row), token, path: `/s/${token}` };
  };

  return {
    create: async (principal: Principal, threadId: string, { id }: { readonly id: string }) => {
      const thread = await threads.get(principal, threadId);
      const { userId: owner } = principal;
      const known = await read.share(owner, id);
      if (known?.thread === threadId) return answer(known);
      if (known) throw new ApiError("conflict", "This id was already used to share another thread. Use a new id.");
      if ((await read.shares(owner, null)).length >= MOST) {
        throw new ApiError("too-large", `You already share ${MOST} threads. Revoke one first.`);
      }
      const { shared, redacted } = await takeSnapshot(read, thread, secrets.redactorOf(threadId), clock.now());
      const made = { owner, id, created_at: shared.sharedAt };
      const row: RowOf<"shares"> = {
        ...made,
        thread: threadId,
        hash: toHash(toToken(made)),
        title: shared.title,
        messages: shared.messages.length,
        redacted,
        body: JSON.stringify({ v: 1, ...shared }),
      };
      if (await commit(owner, threadId, { writes: [{ do: "insert", table: "shares", row }] })) return answer(row);
      await threads.get(principal, threadId);
      const winner = await read.share(owner, id);
      if (winner?.thread === threadId) return answer(winner);
      throw new ApiError("conflict", "This id was already used to share another thread. Use a new id.");
    },

    list: async (principal: Principal, threadId: string | undefined): Promise<{ shares: Share[] }> => {
      if (threadId !== undefined) await threads.get(principal, threadId);
      return { shares: (await read.shares(principal.userId, threadId ?? null)).map(toShare) };
    },

    revoke: async ({ userId: owner }: Principal, id: string): Promise<{ id: string }> => {
      const row = await read.share(owner, id);
      if (!row) throw new ApiError("not-found", "Not found.");
      await commit(owner, row.thread, { writes: [{ do: "delete", table: "shares", where: { owner, id } }] });
      return { id };
    },

    /** Needs no sign-in. `address` is rate limited. */
    open: async (token: string, address: string): Promise<SharedThread> => {
      limit.assertAllowed(address);
      const row = await read.shareByHash(toHash(token));
      if (!row) throw new ApiError("not-found", "This link does not exist or was revoked.");
      const { v: _, ...shared } = JSON.parse(row.body) as SharedThread & { readonly v: number };
      return shared;
    },
  };
}

const toHash = (token: string): string => createHash("sha256").update(token).digest("base64url");

const toShare = (row: Omit<RowOf<"shares">, "body" | "hash">): Share => ({
  id: row.id,
  threadId: row.thread,
  title: row.title,
  messages: row.messages,
  redacted: row.redacted,
  createdAt: row.created_at,
});
