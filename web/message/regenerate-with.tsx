import { ChevronDown } from "lucide-react";
import { Suspense, useState, type ComponentProps } from "react";
import { usePage } from "../state/page.ts";
import { message } from "../strings/message.ts";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const Popup = lazyChunk(() => import("./regenerate-popup.tsx"));

type Props = {
  readonly threadId: string;
  readonly messageId: string;
  /** The model that answered, if known. */
  readonly modelId: string;
  /** With a label, among the actions after a failure. */
  readonly hasLabel?: boolean;
};

/** Regenerates with another model. The list is loaded on first use; until then only its button is rendered. */
export const RegenerateWith = ({ threadId, messageId, modelId, hasLabel = false }: Props) => {
  const { commands } = usePage();
  const [isUsed, setUsed] = useState(false);
  const button = <RegenerateWithButton hasLabel={hasLabel} aria-expanded={false} onClick={() => setUsed(true)} />;
  if (!isUsed) return button;
  return (
    <Suspense fallback={button}>
      <Popup
        hasLabel={hasLabel}
        modelId={modelId}
        onPick={(model) => void commands.regenerate(threadId, messageId, model)}
      />
    </Suspense>
  );
};

type ButtonProps = ComponentProps<"button"> & { readonly hasLabel: boolean };

export const RegenerateWithButton = ({ hasLabel, ...rest }: ButtonProps) =>
  hasLabel ? (
    <button type="button" aria-haspopup="dialog" className="plain-button min-h-8 pointer-coarse:min-h-11" {...rest}>
      {message.regenerateWith.short}
      <ChevronDown aria-hidden="true" className="size-3.5" />
    </button>
  ) : (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-label={message.regenerateWith.action}
      title={message.regenerateWith.action}
      className="icon-button -ms-1.5 h-8 w-6 pointer-coarse:w-9"
      {...rest}
    >
      <ChevronDown aria-hidden="true" className="size-3.5" />
    </button>
  );
