import { useState } from "react";
import { createClient, ResponseError, type Client } from "../../protocol/client.ts";
import { createBrowserStorage } from "../lib/storage.ts";
import { toErrorText } from "../lib/use-load.ts";
import { switchUser } from "../state/account/stored-user.ts";

export type SignInState =
  | { readonly name: "idle" }
  | { readonly name: "sending" }
  | { readonly name: "failed"; readonly status: number | null; readonly text: string }
  /** The server accepts no attempt for this long. */
  | { readonly name: "throttled"; readonly seconds: number; readonly text: string };

type Options = {
  /** After the browser's storage belongs to the new session. */
  readonly onDone: () => void;
  /** The password is right, and the account also needs a code. */
  readonly onCodeNeeded?: () => void;
  /** After a failed attempt. */
  readonly onFailed?: (status: number | null) => void;
};

type SignInResponse = { readonly userId: string } | { readonly next: "code" };

/** Sends one of the requests that sign in. */
export function useSignIn({ onDone, onCodeNeeded, onFailed }: Options) {
  const [state, setState] = useState<SignInState>({ name: "idle" });
  const send = async (request: (client: Client) => Promise<SignInResponse>): Promise<void> => {
    setState({ name: "sending" });
    let waitSeconds = 0;
    const client = createClient({
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        waitSeconds = Math.ceil(Number(response.headers.get("retry-after"))) || 0;
        return response;
      },
    });
    try {
      const answer = await request(client);
      if ("next" in answer) {
        setState({ name: "idle" });
        onCodeNeeded?.();
        return;
      }
      switchUser(createBrowserStorage(), answer.userId);
      onDone();
    } catch (error) {
      const status = error instanceof ResponseError ? error.status : null;
      if (status === 429 && waitSeconds > 0)
        setState({ name: "throttled", seconds: waitSeconds, text: toErrorText(error) });
      else setState({ name: "failed", status, text: toErrorText(error) });
      onFailed?.(status);
    }
  };
  return { state, send } as const;
}
