import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { copyText } from "../lib/copy-text.ts";
import { IconButton } from "./icon-button.tsx";
import { ui as strings } from "../strings/ui.ts";

const shownMs = 1500;

type Props = { readonly text: string; readonly label: string; readonly className?: string };

export const CopyButton = ({ text, label, className = "" }: Props) => {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    setCopied(await copyText(text));
    setTimeout(() => setCopied(false), shownMs);
  };
  const Icon = isCopied ? Check : Copy;
  return (
    <IconButton label={isCopied ? strings.copied : label} className={className} onClick={() => void copy()}>
      <Icon aria-hidden="true" className="size-4" />
    </IconButton>
  );
};
