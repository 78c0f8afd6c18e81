import type { ChatRequest, UiMessage } from "../../../protocol/surfaces/chats.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Store } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { Attachments } from "../../thread/attachments/attachments.ts";
import type { Threads } from "../../thread/threads.ts";
import type { UserActions } from "../../thread/user-actions.ts";

export type ChatOptions = {
  readonly store: Store;
  readonly threads: Threads;
  readonly userActions: UserActions;
  readonly attachments: Pick<Attachments, "add">;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Folder for files of a request that are being stored. */
  readonly uploadsDir: string;
};

/** One request on its thread. */
export type Turn = ChatOptions & {
  readonly principal: Principal;
  readonly thread: RowOf<"threads">;
  readonly request: ChatRequest;
  readonly messages: readonly UiMessage[];
};

export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.code === "conflict";

/** Awaits an action that may have been done already, here or on another node. */
export async function ignoreConflict(action: Promise<unknown>): Promise<void> {
  await action.catch((error: unknown) => {
    if (!isConflict(error)) throw error;
  });
}
