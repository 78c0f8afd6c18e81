import type { ComponentProps } from "react";
import { FormMessage } from "./form-message.tsx";

type Props = {
  readonly state: ComponentProps<typeof FormMessage>["state"];
  readonly isReady: boolean;
  readonly onCancel: () => void;
};

/** A form's message and its buttons. */
export const FormEnd = ({ state, isReady, onCancel }: Props) => (
  <div className="flex flex-wrap items-center justify-end gap-2">
    <FormMessage state={state} />
    <button type="button" className="plain-button" onClick={onCancel}>
      Cancel
    </button>
    <button type="submit" className="plain-button strong-button" disabled={!isReady || state.name === "sending"}>
      Save and test
    </button>
  </div>
);
