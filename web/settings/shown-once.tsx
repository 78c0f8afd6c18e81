import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { copyText } from "../lib/copy-text.ts";
import { settings } from "../strings/settings/page.ts";

const strings = settings.shownOnce;

type Props = {
  readonly title: string;
  readonly about: string;
  /** Names the secret. */
  readonly label: string;
  readonly copyLabel: string;
  readonly secret: string;
  readonly onDone: () => void;
};

/** A new secret. It is kept only here, and is gone when the section closes. */
export const ShownOnce = ({ title, about, label, copyLabel, secret, onDone }: Props) => {
  const [result, setResult] = useState<"copied" | "failed" | null>(null);
  const Icon = result === "copied" ? Check : Copy;
  return (
    <div className="my-2 grid gap-3 rounded-2xl border border-line-strong bg-raised p-4">
      <p role="status" className="text-sm">
        <strong className="block font-medium wrap-anywhere">{title}</strong>
        {about}
      </p>
      <input
        readOnly
        dir="ltr"
        aria-label={label}
        value={secret}
        onFocus={(event) => event.currentTarget.select()}
        className="h-10 w-full min-w-0 rounded-xl bg-sunk px-3 font-mono text-xs"
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        {result === "failed" && (
          <p role="status" className="text-xs text-soft">
            {strings.copyByHand}
          </p>
        )}
        <button type="button" className="plain-button" onClick={onDone}>
          {strings.done}
        </button>
        <button
          type="button"
          autoFocus
          className="plain-button strong-button"
          onClick={async () => setResult((await copyText(secret)) ? "copied" : "failed")}
        >
          <Icon aria-hidden="true" className="size-4" />
          {result === "copied" ? strings.copied : copyLabel}
        </button>
      </div>
    </div>
  );
};
