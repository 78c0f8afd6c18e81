import type { ComponentProps } from "react";
import { FormMessage } from "./form-message.tsx";
import { ui as strings } from "../strings/ui.ts";
import { actions } from "../strings/actions.ts";

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
      {actions.cancel}
    </button>
    <button type="submit" className="plain-button strong-button" disabled={!isReady || state.name === "sending"}>
      {strings.saveAndTest}
    </button>
  </div>
);
