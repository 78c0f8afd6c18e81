/**
 * How a prompt is chosen. `stone` is ours; the others are the five designs that it stands beside, as they were meant, with
 * the newest kept: people may switch a thread to any of them and see the difference.
 */
export const policyNames = ["stone", "transcript", "replay", "snapshot", "messages", "summary"] as const;
export type PolicyName = (typeof policyNames)[number];
