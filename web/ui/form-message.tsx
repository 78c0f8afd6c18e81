import { Check } from "lucide-react";
import type { RequestState } from "../lib/use-request.ts";
import { ui as strings } from "../strings/ui.ts";
import { actions } from "../strings/actions.ts";

type Props = { readonly state: RequestState; readonly sending?: string; readonly done?: string };

/** The result of a change: a quiet confirmation, or an error with its reason. */
export const FormMessage = ({ state, sending = strings.saving, done = actions.saved }: Props) => (
  <>
    <p role="status" className="inline-flex items-center gap-1.5 text-xs text-soft empty:hidden">
      {state.name === "sending" && sending}
      {state.name === "done" && done !== "" && (
        <>
          <Check aria-hidden="true" className="size-3.5 text-good" />
          {done}
        </>
      )}
    </p>
    {state.name === "failed" && (
      <p role="alert" className="basis-full text-sm text-danger">
        {state.text}
      </p>
    )}
  </>
);
