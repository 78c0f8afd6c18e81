import { createContext, useCallback, useContext, useEffect, useRef, useState } from "react";
import { ResponseError } from "../../protocol/client.ts";
import { ShownError, toSentence } from "./error-text.ts";
import { errors } from "../strings/errors.ts";

/** State of the request behind one button; a failure is shown next to that button. */
export type RequestState =
  | { readonly name: "idle" }
  | { readonly name: "sending" }
  | { readonly name: "done" }
  | { readonly name: "failed"; readonly text: string };

/** Called with the error of every failed request, so that the shell can show the sign-in form after a 401. */
export const RequestErrorContext = createContext<(error: unknown) => void>(() => undefined);

export function useRequest() {
  const onError = useContext(RequestErrorContext);
  const [state, setState] = useState<RequestState>({ name: "idle" });
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  const send = useCallback(
    async <T>(request: () => Promise<T>): Promise<T | undefined> => {
      setState({ name: "sending" });
      try {
        const answer = await request();
        if (isMounted.current) setState({ name: "done" });
        return answer;
      } catch (error) {
        onError(error);
        if (isMounted.current) setState({ name: "failed", text: toText(error) });
        return undefined;
      }
    },
    [onError],
  );
  return { state, send } as const;
}

function toText(error: unknown): string {
  if (error instanceof ShownError) return error.message;
  return error instanceof ResponseError ? toSentence(error) : errors.notSent;
}
