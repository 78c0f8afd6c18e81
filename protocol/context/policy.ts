/**
 * How a prompt is selected. `stone` is Stonechat's. The others implement the five designs it is compared with; all of them
 * keep the newest messages. A user can switch a thread to any of them to see the difference.
 */
export const policyNames = ["stone", "transcript", "replay", "snapshot", "messages", "summary"] as const;
export type PolicyName = (typeof policyNames)[number];

/** How much of a thread a policy includes. null: as much as fits. */
export type PolicyWindow = { readonly messages: number | null; readonly characters: number | null };

/**
 * The windows unless the profile or the operator sets others. `messages` counts the message that is being answered, except in
 * `transcript`, which sends it separately. `characters` limits the earlier messages (`transcript`) or tool results (`replay`).
 */
export const policyWindows = {
  stone: { messages: null, characters: null },
  transcript: { messages: 20, characters: 4_000 },
  replay: { messages: 25, characters: 6_000 },
  snapshot: { messages: 10, characters: null },
  messages: { messages: 50, characters: null },
  summary: { messages: 10, characters: null },
} as const satisfies Readonly<Record<PolicyName, PolicyWindow>>;
