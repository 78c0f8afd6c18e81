import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import { ActButton } from "../../ui/act-button.tsx";
import { usePage } from "../../state/page.ts";
import { toToolTitle } from "./describe-tool.ts";
import { toolSettings as strings } from "../../strings/settings/tools.ts";

type Props = {
  readonly server: string;
  readonly change: ServerStatus["changes"][number];
  readonly onChanged: (servers: readonly ServerStatus[]) => void;
};

const marks: Readonly<Record<string, { readonly look: string; readonly label: string }>> = {
  "+": { look: "bg-[color-mix(in_srgb,var(--good)_16%,transparent)]", label: strings.change.added },
  "-": { look: "bg-[color-mix(in_srgb,var(--danger)_13%,transparent)]", label: strings.change.removed },
};

/**
 * A tool that has changed since it was first used: the differences, and a button to accept them. Long lines wrap and are never
 * cut, so that a server cannot hide text in them.
 */
export const ToolChange = ({ server, change: { tool, hash, lines }, onChanged }: Props) => {
  const { client } = usePage();
  const title = toToolTitle(tool);
  return (
    <div role="group" aria-label={strings.change.label(title)} className="grid gap-2 rounded-xl bg-sunk p-3">
      <p className="text-sm wrap-anywhere">{strings.change.about(title)}</p>
      <div
        role="region"
        aria-label={strings.change.lines(title)}
        tabIndex={0}
        dir="ltr"
        className="max-h-96 overflow-y-auto rounded-lg bg-(--code-ground) py-1 font-mono text-xs leading-relaxed text-(--code-ink)"
      >
        {lines.map(({ sign, text }, index) => {
          const { look, label } = marks[sign.trim()] ?? { look: "", label: "" };
          return (
            <p key={index} className={`flex gap-2 px-3 wrap-anywhere whitespace-pre-wrap ${look}`}>
              <span aria-hidden="true" className="w-2 flex-none select-none">
                {sign.trim()}
              </span>
              <span>
                {label !== "" && <span className="sr-only">{label}</span>}
                {text}
              </span>
            </p>
          );
        })}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <ActButton
          label={strings.change.acceptFor(title)}
          act={async () => onChanged((await client.acceptTool({ params: { server }, body: { tool, hash } })).servers)}
        >
          {strings.change.accept}
        </ActButton>
        <p className="text-xs text-soft">{strings.change.advice}</p>
      </div>
    </div>
  );
};
