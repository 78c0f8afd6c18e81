import { createHash } from "node:crypto";
import type { Body } from "../../protocol/api.ts";
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
  /** Whether there are users who can sign in. */
  readonly hasAccounts?: boolean;
};

const MOST = 500;

export function createShares({ store, log, seal, threads, secrets, clock, hasAccounts = false }: Options) {
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
    create: async (principal: Principal, threadId: string, { id, name, people }: Body<"createShare">) => {
      if (people && !hasAccounts) throw new ApiError("invalid", NO_ACCOUNTS);
      const thread = await threads.get(principal, threadId, "delete");
      const { userId: owner } = principal;
      const known = await read.share(owner, id);
      if (known?.thread === threadId && (known.people === 1) === people) return answer(known);
      if (known) throw new ApiError("conflict", USED);
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
        people: people ? 1 : 0,
        body: JSON.stringify({ v: 1, ...shared, ...(name === undefined ? {} : { sharedBy: name }) }),
      };
      if (await commit(owner, threadId, { writes: [{ do: "insert", table: "shares", row }] })) return answer(row);
      await threads.get(principal, threadId, "delete");
      const winner = await read.share(owner, id);
      if (winner?.thread === threadId && (winner.people === 1) === people) return answer(winner);
      throw new ApiError("conflict", USED);
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

    /** `address` is rate limited. `isUser`: the request is of a signed-in user. */
    open: async (token: string, address: string, isUser = false): Promise<SharedThread> => {
      limit.assertAllowed(address);
      const row = await read.shareByHash(toHash(token));
      if (!row) throw new ApiError("not-found", "This link does not exist or was revoked.");
      if (row.people === 1 && !isUser) throw new ApiError("unauthenticated", SIGN_IN);
      const { v: _, ...shared } = JSON.parse(row.body) as SharedThread & { readonly v: number };
      return shared;
    },
  };
}

const USED = "This id was already used to share another thread, or for other readers. Use a new id.";
const SIGN_IN = "Only users of this server can read this thread. Sign in, then open the link again.";
const NO_ACCOUNTS =
  "This server has no accounts, so a link can only be for everyone who has it. Its operator can turn them on with STONECHAT_ACCOUNTS=on.";

const toHash = (token: string): string => createHash("sha256").update(token).digest("base64url");

const toShare = (row: Omit<RowOf<"shares">, "body" | "hash">): Share => ({
  id: row.id,
  threadId: row.thread,
  title: row.title,
  messages: row.messages,
  redacted: row.redacted,
  createdAt: row.created_at,
  people: row.people === 1,
});
