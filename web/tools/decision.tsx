import { useRef, type ComponentProps } from "react";
import { createId } from "../lib/ids.ts";
import { useRequest, type RequestState } from "../lib/use-request.ts";

/** An answer of the user that a run waits for. It is sent once; a retry reuses the id, so that it cannot count twice. */
export function useDecision() {
  const { state, send } = useRequest();
  const last = useRef<{ readonly key: string; readonly id: string } | null>(null);
  const isSent = state.name === "sending" || state.name === "done";
  /** `key` identifies the answer: another answer gets another id. */
  const decide = async <T,>(key: string, request: (id: string) => Promise<T>): Promise<T | null> => {
    if (isSent) return null;
    if (last.current?.key !== key) last.current = { key, id: createId() };
    const { id } = last.current;
    return (await send(() => request(id))) ?? null;
  };
  return { state, isSent, decide } as const;
}

export const DecisionButton = ({ className = "", ...rest }: ComponentProps<"button">) => (
  <button type="button" className={`plain-button pointer-coarse:min-h-11 ${className}`} {...rest} />
);

type StateProps = { readonly state: RequestState; readonly sending: string; readonly sent: string };

export const DecisionState = ({ state, sending, sent }: StateProps) => (
  <>
    <p role="status" className="text-xs text-soft empty:hidden">
      {state.name === "sending" ? sending : state.name === "done" ? sent : ""}
    </p>
    {state.name === "failed" && (
      <p role="alert" className="text-sm text-danger">
        {state.text}
      </p>
    )}
  </>
);
