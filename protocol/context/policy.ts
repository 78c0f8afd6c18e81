/**
 * How a prompt is selected. `stone` is ours. The others implement the five designs it is compared with; all of them
 * keep the newest messages. A user can switch a thread to any of them to see the difference.
 */
export const policyNames = ["stone", "transcript", "replay", "snapshot", "messages", "summary"] as const;
export type PolicyName = (typeof policyNames)[number];
