import type { Response } from "../../../protocol/api.ts";
import { useSelected } from "../../lib/signal.ts";
import { usePage } from "../page.ts";
import type { SessionState } from "../session.ts";

type Account = Response<"getMe">["account"];

/** null on an instance without accounts, and while it is loading. */
export const toAccount = (state: SessionState): Account => (state.phase === "signed-in" ? state.me.account : null);

export const useAccount = (): Account => useSelected(usePage().session.state, toAccount);

/** In browser storage after set-up: the start page offers to invite people. */
export const welcomeKey = "welcome";
