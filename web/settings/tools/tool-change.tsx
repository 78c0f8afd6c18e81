import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import { ActButton } from "../../ui/act-button.tsx";
import { usePage } from "../../state/page.ts";
import { toToolTitle } from "./describe-tool.ts";

type Props = {
  readonly server: string;
  readonly change: ServerStatus["changes"][number];
  readonly onChanged: (servers: readonly ServerStatus[]) => void;
};

const marks: Readonly<Record<string, { readonly look: string; readonly said: string }>> = {
  "+": { look: "bg-[color-mix(in_srgb,var(--good)_16%,transparent)]", said: "added: " },
  "-": { look: "bg-[color-mix(in_srgb,var(--danger)_13%,transparent)]", said: "removed: " },
};

/**
 * A tool that has changed since it was approved: the differences, and the user's approval to use it again. Lines are folded,
 * never cut, so that nothing can be hidden.
 */
export const ToolChange = ({ server, change: { tool, hash, lines }, onChanged }: Props) => {
  const { client } = usePage();
  const title = toToolTitle(tool);
  return (
    <div role="group" aria-label={`${title} has changed`} className="grid gap-2 rounded-xl bg-sunk p-3">
      <p className="text-sm">
        <strong className="font-medium wrap-anywhere">{title}</strong> is not what it was when it was first used. It is
        not called until you accept this:
      </p>
      <div
        role="region"
        aria-label={`What changed in ${title}`}
        tabIndex={0}
        dir="ltr"
        className="max-h-96 overflow-y-auto rounded-lg bg-(--code-ground) py-1 font-mono text-xs leading-relaxed text-(--code-ink)"
      >
        {lines.map(({ sign, text }, index) => {
          const { look, said } = marks[sign.trim()] ?? { look: "", said: "" };
          return (
            <p key={index} className={`flex gap-2 px-3 wrap-anywhere whitespace-pre-wrap ${look}`}>
              <span aria-hidden="true" className="w-2 flex-none select-none">
                {sign.trim()}
              </span>
              <span>
                {said !== "" && <span className="sr-only">{said}</span>}
                {text}
              </span>
            </p>
          );
        })}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <ActButton
          label={`Accept the change of ${title}`}
          act={async () => onChanged((await client.acceptTool({ params: { server }, body: { tool, hash } })).servers)}
        >
          Accept the change
        </ActButton>
        <p className="text-xs text-soft">Read it as you would read a letter from a stranger.</p>
      </div>
    </div>
  );
};
