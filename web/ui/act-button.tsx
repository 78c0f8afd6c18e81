import { useRef, type ReactNode } from "react";
import { createId } from "../lib/ids.ts";
import { useRequest } from "../lib/use-request.ts";

type Props = {
  /** One request under a new id; a retry after a failure uses the same id. */
  readonly act: (id: string) => Promise<unknown>;
  readonly onDone?: () => void;
  readonly label?: string;
  readonly className?: string;
  /** Overrides the button's classes. */
  readonly look?: string;
  readonly disabled?: boolean;
  readonly children: ReactNode;
};

const plain = "plain-button min-h-8 pointer-coarse:min-h-10";

/** A button that sends a request and shows a failure below itself. */
export const ActButton = ({ act, onDone, label, className = "", look = plain, disabled = false, children }: Props) => {
  const { state, send } = useRequest();
  const id = useRef<string>(null);
  const press = async () => {
    id.current ??= createId();
    const mine = id.current;
    const isDone = await send(async () => {
      await act(mine);
      return true;
    });
    if (!isDone) return;
    id.current = null;
    onDone?.();
  };
  return (
    <>
      <button
        type="button"
        {...(label === undefined ? {} : { "aria-label": label })}
        disabled={disabled || state.name === "sending"}
        className={`${look} ${className}`}
        onClick={() => void press()}
      >
        {children}
      </button>
      {state.name === "failed" && (
        <span role="alert" className="basis-full text-xs text-danger">
          {state.text}
        </span>
      )}
    </>
  );
};
