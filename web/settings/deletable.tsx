import { Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useRequest } from "../lib/use-request.ts";
import Confirm from "../ui/confirm.tsx";
import { IconButton } from "../ui/icon-button.tsx";

type Props = {
  /** Accessible name of the button. */
  readonly label: string;
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly send: () => Promise<unknown>;
  readonly onDeleted: () => void;
  /** The content of the row, with the button at its place. */
  readonly children: (button: ReactNode) => ReactNode;
};

/** Content of a row with *Delete*: asks for confirmation, and shows a failure below. The row is a flex box that wraps. */
export const Deletable = ({ label, title, text, action, send, onDeleted, children }: Props) => {
  const [isConfirming, setConfirming] = useState(false);
  const request = useRequest();
  const remove = async () => {
    if (await request.send(send)) onDeleted();
  };
  return (
    <>
      {children(
        <IconButton label={label} onClick={() => setConfirming(true)}>
          <Trash2 aria-hidden="true" className="size-4" />
        </IconButton>,
      )}
      {request.state.name === "failed" && (
        <p role="alert" className="basis-full text-sm text-danger">
          {request.state.text}
        </p>
      )}
      {isConfirming && (
        <Confirm
          title={title}
          text={text}
          action={action}
          onConfirm={() => void remove()}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  );
};
