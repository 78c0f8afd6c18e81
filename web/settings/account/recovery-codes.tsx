import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { copyText } from "../../lib/copy-text.ts";
import { factors } from "../../strings/account/factors.ts";
import { settings } from "../../strings/settings/page.ts";

const strings = factors.recoveryCodes;

type Props = {
  readonly codes: readonly string[];
  /** Number of other sessions that ended with the change. */
  readonly ended: number;
  readonly onDone: () => void;
};

/** New recovery codes. They are kept only here, and are gone when the section closes. */
export const RecoveryCodes = ({ codes, ended, onDone }: Props) => {
  const [result, setResult] = useState<"copied" | "failed" | null>(null);
  const Icon = result === "copied" ? Check : Copy;
  return (
    <div className="my-2 grid gap-3 rounded-2xl border border-line-strong bg-raised p-4">
      <p role="status" className="text-sm">
        <strong className="block font-medium">{strings.title}</strong>
        {strings.about} {ended > 0 && strings.ended(ended)}
      </p>
      <ul
        aria-label={strings.title}
        dir="ltr"
        className="grid gap-x-6 gap-y-1 rounded-xl bg-sunk px-4 py-3 font-mono text-sm select-all sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center justify-end gap-2">
        {result === "failed" && (
          <p role="status" className="text-xs text-soft">
            {settings.shownOnce.copyByHand}
          </p>
        )}
        <button
          type="button"
          autoFocus
          className="plain-button"
          onClick={async () => setResult((await copyText(codes.join("\n"))) ? "copied" : "failed")}
        >
          <Icon aria-hidden="true" className="size-4" />
          {result === "copied" ? settings.shownOnce.copied : strings.copy}
        </button>
        <button type="button" className="plain-button strong-button" onClick={onDone}>
          {strings.done}
        </button>
      </div>
    </div>
  );
};
