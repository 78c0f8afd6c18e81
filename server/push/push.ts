import { createHash } from "node:crypto";
import type { Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import { pushLimits, type PushMessage, type PushSubscriptionView } from "../../protocol/settings/push.ts";
import { isByProxy, type Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import { checkAddress } from "../net/check-address.ts";
import type { OpenStream } from "../net/open-stream.ts";
import type { Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { encryptMessage } from "./encrypt.ts";
import { createPushJob, listLive, planRemove, planResult } from "./push-job.ts";
import { sendPush, type Delivery, type PushTarget } from "./send.ts";
import { loadVapid, type Vapid } from "./vapid.ts";

/**
 * Notifications by Web Push: "your answer is ready", "Stonechat waits for you". A job is committed with the end of the run and
 * sends them a moment later, unless the user has read the answer by then. Decision 39.
 */
export type Push = ReturnType<typeof createPush>;

type Row = RowOf<"push_subscriptions">;

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly stream: OpenStream;
  /** Private addresses of push services, chosen by the operator. */
  readonly allowPrivate: readonly string[];
  readonly publicUrl: string;
};

export function createPush(options: Options) {
  const { store, log, clock, ids, seal, allowPrivate } = options;
  const { read } = store;
  const { load, send } = createSend(options);

  const find = async ({ userId }: Principal, id: string): Promise<Row> => {
    const row = (await listLive({ read, clock }, userId)).live.find((one) => one.id === id);
    if (row) return row;
    throw new ApiError("not-found", "Not found.");
  };

  return {
    ...createPushJob({ read, clock, ids, send }),

    list: async ({ userId }: Principal) => ({
      publicKey: (await load()).publicKey,
      subscriptions: (await listLive({ read, clock }, userId)).live.map(toView),
    }),

    subscribe: async (principal: Principal, body: Body<"subscribePush">) => {
      if (principal.key) throw new ApiError("forbidden", "Only a browser can turn on notifications, not an API key.");
      const { endpoint, p256dh, auth, agent, titles } = body;
      await assertEndpoint(endpoint, allowPrivate);
      assertKeys({ p256dh, auth });
      const owner = principal.userId;
      const id = createHash("sha256").update(endpoint).digest("base64url");
      const { live, ended } = await listLive({ read, clock }, owner);
      if (live.filter((row) => row.id !== id).length >= pushLimits.perUser)
        throw new ApiError("conflict", "Too many browsers get your notifications. Remove one of them first.");
      const row: Row = {
        ...{ id, owner, agent, titles: titles ? 1 : 0, created_at: clock.now(), sent_at: null, problem: null },
        session: isByProxy(principal) ? "" : (principal.session ?? ""),
        sealed: seal.encrypt(JSON.stringify({ endpoint, keys: { p256dh, auth } } satisfies PushTarget)),
      };
      const writes: Write[] = [
        ...ended.map((one) => planRemove(one.id)),
        { do: "put", table: "push_subscriptions", row },
      ];
      await log.commit({ events: [], writes });
      return { subscription: toView(row) };
    },

    unsubscribe: async (principal: Principal, id: string) => {
      await find(principal, id);
      await log.commit({ events: [], writes: [planRemove(id)] });
      return { id };
    },

    test: async (principal: Principal, id: string) => {
      const delivery = await send(await find(principal, id), { v: 1, kind: "test" });
      await log.commit({ events: [], writes: [planResult(id, delivery, clock.now())] });
      if (delivery.state === "accepted") return { id };
      throw new ApiError(
        "unavailable",
        delivery.state === "gone"
          ? "The push service does not know this browser any more. Turn notifications off and on again."
          : `${delivery.problem} Try again later.`,
      );
    },
  };
}

type Sending = Pick<Options, "store" | "log" | "clock" | "seal" | "stream" | "publicUrl">;

/** Sends to one browser. The server's keys are loaded with the first call; after a failure the next one loads them again. */
function createSend({ store, log, clock, seal, stream, publicUrl }: Sending) {
  const contact = publicUrl.startsWith("https:") ? publicUrl : "mailto:stonechat@localhost.localdomain";
  let loading: Promise<Vapid> | undefined;
  const load = (): Promise<Vapid> =>
    (loading ??= loadVapid({ store, log, clock, seal, contact }).catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));

  const send = async (row: Row, message: PushMessage, signal?: AbortSignal): Promise<Delivery> => {
    const target = open(seal, row);
    return target ? sendPush({ stream, vapid: await load() }, target, message, signal) : { state: "gone" };
  };

  return { load, send };
}

/** undefined if it was sealed with another instance key. */
function open(seal: Seal, { sealed }: Row): PushTarget | undefined {
  try {
    return JSON.parse(seal.decrypt(sealed)) as PushTarget;
  } catch {
    return undefined;
  }
}

const toView = (row: Row): PushSubscriptionView => ({
  ...{ id: row.id, agent: row.agent, titles: row.titles === 1, problem: row.problem },
  ...{ createdAt: row.created_at, sentAt: row.sent_at },
});

async function assertEndpoint(endpoint: string, allowPrivate: readonly string[]): Promise<void> {
  const isHttps = URL.canParse(endpoint) && new URL(endpoint).protocol === "https:";
  const refused = isHttps ? await checkAddress(endpoint, allowPrivate) : "Its address must begin with https.";
  if (refused === undefined) return;
  throw new ApiError("invalid", `This push service cannot be used. ${refused}`);
}

function assertKeys(keys: PushTarget["keys"]): void {
  try {
    encryptMessage("", keys);
  } catch {
    throw new ApiError("invalid", "The keys of this browser are not valid. Turn notifications off and on again.");
  }
}
