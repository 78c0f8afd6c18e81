import { createAdmission, type AdmitOptions } from "./admission.ts";
import { createMessageActions } from "./message-actions.ts";
import { createRunActions } from "./run-actions.ts";
import { createThreadActions } from "./thread-actions.ts";

export type { AcceptedInput } from "./admission.ts";

/**
 * Every user action on a thread. Takes the action with the client's id and returns its seq once it is durable. Nothing is
 * executed here: an admitted message stays queued until a run claims it, in this process or another, now or after a restart.
 */
export type UserActions = ReturnType<typeof createUserActions>;

export function createUserActions(options: AdmitOptions) {
  const admit = createAdmission(options);
  return {
    ...createMessageActions(options, admit),
    ...createThreadActions(options, admit),
    ...createRunActions(options, admit),
  };
}
