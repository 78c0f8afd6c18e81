import { ChevronDown } from "lucide-react";
import { Suspense, useState, type ComponentProps } from "react";
import { usePage } from "../state/page.ts";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const Popup = lazyChunk(() => import("./regenerate-popup.tsx"));

type Props = {
  readonly threadId: string;
  readonly messageId: string;
  /** The model that answered, if known. */
  readonly modelId: string;
  /** With a label, among the actions after a failure. */
  readonly isSpelledOut?: boolean;
};

/** Regenerates with another model. The list is loaded on first use; until then only its button is rendered. */
export const RegenerateWith = ({ threadId, messageId, modelId, isSpelledOut = false }: Props) => {
  const { commands } = usePage();
  const [isUsed, setUsed] = useState(false);
  const button = <AgainButton isSpelledOut={isSpelledOut} aria-expanded={false} onClick={() => setUsed(true)} />;
  if (!isUsed) return button;
  return (
    <Suspense fallback={button}>
      <Popup
        isSpelledOut={isSpelledOut}
        modelId={modelId}
        onPick={(model) => void commands.regenerate(threadId, messageId, model)}
      />
    </Suspense>
  );
};

type ButtonProps = ComponentProps<"button"> & { readonly isSpelledOut: boolean };

export const AgainButton = ({ isSpelledOut, ...rest }: ButtonProps) =>
  isSpelledOut ? (
    <button type="button" aria-haspopup="dialog" className="plain-button min-h-8 pointer-coarse:min-h-11" {...rest}>
      Another model
      <ChevronDown aria-hidden="true" className="size-3.5" />
    </button>
  ) : (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-label="Answer with another model"
      title="Answer with another model"
      className="icon-button -ms-1.5 h-8 w-6 pointer-coarse:w-9"
      {...rest}
    >
      <ChevronDown aria-hidden="true" className="size-3.5" />
    </button>
  );
