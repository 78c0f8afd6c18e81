import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError } from "../../protocol/client.ts";
import { usePage } from "./page.ts";
import { isSignedOut } from "./session.ts";

/** How one request of a button is doing; a failure is said where the button is. */
export type RequestState =
  | { readonly name: "idle" }
  | { readonly name: "sending" }
  | { readonly name: "done" }
  | { readonly name: "failed"; readonly text: string };

export function useRequest() {
  const { session } = usePage();
  const [state, setState] = useState<RequestState>({ name: "idle" });
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  const send = useCallback(
    async <T>(request: () => Promise<T>): Promise<T | undefined> => {
      setState({ name: "sending" });
      try {
        const answer = await request();
        if (isHere.current) setState({ name: "done" });
        return answer;
      } catch (error) {
        if (isSignedOut(error)) session.signOut();
        if (isHere.current) setState({ name: "failed", text: toText(error) });
        return undefined;
      }
    },
    [session],
  );
  return { state, send } as const;
}

const toText = (error: unknown): string =>
  error instanceof ApiError ? error.message : "The server cannot be reached. Nothing was sent.";
