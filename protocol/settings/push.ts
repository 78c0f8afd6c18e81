import { z } from "zod";
import { Text } from "../text.ts";

export const pushLimits = { perUser: 20, endpointCharacters: 2000, agentCharacters: 200 } as const;

/** A browser that gets notifications, as its user sees it. */
export const PushSubscriptionView = z.object({
  /** SHA-256 of the endpoint as base64url, by which the browser recognizes itself. */
  id: z.string(),
  /** The browser's `User-Agent`. */
  agent: z.string(),
  /** Notifications contain the title of the thread. */
  titles: z.boolean(),
  createdAt: z.number(),
  /** When the push service accepted the last notification. */
  sentAt: z.number().nullable(),
  /** Why it did not accept a later one. */
  problem: z.string().nullable(),
});
export type PushSubscriptionView = z.infer<typeof PushSubscriptionView>;

/** The content of a notification. It never has any text of a message. */
export type PushMessage =
  | { readonly v: 1; readonly kind: "test" }
  | {
      readonly v: 1;
      /** `waiting`: for an approval or an answer of the user. */
      readonly kind: "answered" | "failed" | "waiting";
      readonly threadId: string;
      /** Only if the user chose so. */
      readonly title?: string;
    };

const none = z.object({});
const SubscriptionId = z.object({ subscriptionId: z.string().regex(/^[\w-]{1,64}$/, "not the id of a subscription") });
const Key = (bytes: number, message: string, example: string) =>
  z
    .string()
    .refine((text) => /^[\w-]{1,100}$/.test(text) && Math.floor((text.length * 3) / 4) === bytes, message)
    .meta({ examples: [example] });
/** The keys of the example in RFC 8291. */
const PublicKey = Key(
  65,
  "must be a public key of 65 bytes as base64url",
  "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
);
const Auth = Key(16, "must be 16 bytes as base64url", "BTBZMqHH6r4Tts7J_aSIgg");

export const pushApi = {
  listPush: {
    summary: "Your browsers that get notifications, and the key with which a browser subscribes",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ publicKey: z.string(), subscriptions: z.array(PushSubscriptionView) }),
  },
  subscribePush: {
    summary: "Send notifications to this browser, or change what they contain",
    params: none,
    query: none,
    body: z
      .object({
        /** Address at the push service of the browser. */
        endpoint: z.string().min(1).max(pushLimits.endpointCharacters),
        p256dh: PublicKey,
        auth: Auth,
        agent: Text.trim().max(pushLimits.agentCharacters),
        titles: z.boolean(),
      })
      .strict(),
    status: 200,
    response: z.object({ subscription: PushSubscriptionView }),
  },
  unsubscribePush: {
    summary: "Send no more notifications to one of your browsers",
    params: SubscriptionId,
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
  testPush: {
    summary: "Send a notification to one of your browsers now, to test it",
    params: SubscriptionId,
    query: none,
    body: none,
    status: 200,
    response: z.object({ id: z.string() }),
  },
} as const;
