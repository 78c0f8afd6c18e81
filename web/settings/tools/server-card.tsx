import { Globe, SquareTerminal } from "lucide-react";
import { useState } from "react";
import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import { ActButton } from "../../ui/act-button.tsx";
import { joinList } from "../../lib/format.ts";
import { usePage } from "../../state/page.ts";
import Confirm from "../../ui/confirm.tsx";
import { useRequest } from "../../lib/use-request.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { Badge } from "../../ui/badge.tsx";
import { describeServer, toToolTitle } from "./describe-tool.ts";
import { SignIn } from "./sign-in.tsx";
import { ToolChange } from "./tool-change.tsx";
import { actions } from "../../strings/actions.ts";
import { toolSettings as strings } from "../../strings/settings/tools.ts";

type Props = {
  readonly server: ServerStatus;
  readonly onChanged: (servers: readonly ServerStatus[]) => void;
  readonly onRetry: () => void;
  readonly onNote: (note: string) => void;
};

/** One MCP server: state, tools, and changed tools. */
export const ServerCard = ({ server, onChanged, onRetry, onNote }: Props) => {
  const { client } = usePage();
  const { server: name, kind, state, why, tools, changes, problems, headers = [] } = server;
  const params = { server: name };
  const { tone, text } = describeServer(server);
  const Icon = kind === "http" ? Globe : SquareTerminal;
  const [isConfirming, setConfirming] = useState(false);
  const removing = useRequest();
  const remove = async () => {
    const response = await removing.send(() => client.removeServer({ params }));
    if (!response) return;
    const isFixed = response.servers.some((one) => one.server === name);
    onNote(isFixed ? strings.card.fixed(name) : strings.card.removed(name));
    onChanged(response.servers);
  };
  return (
    <li aria-label={name} className="grid gap-2 rounded-2xl bg-raised px-4 py-3.5 [&>*]:min-w-0">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Icon aria-hidden="true" className="size-4 flex-none text-soft" />
        <h3 className="font-medium wrap-anywhere">{name}</h3>
        <Badge tone={tone}>{text}</Badge>
        <span className="ms-auto flex flex-wrap gap-1 max-sm:w-full">
          {kind === "http" && state === "signed-out" && <SignIn server={name} />}
          {kind === "http" && state === "ready" && (
            <ActButton
              label={strings.card.signOutOf(name)}
              act={async () => onChanged((await client.signOutOfServer({ params, body: {} })).servers)}
            >
              {strings.card.signOut}
            </ActButton>
          )}
          {(state === "resting" || state === "idle") && (
            <button type="button" className="plain-button min-h-8 pointer-coarse:min-h-10" onClick={onRetry}>
              {actions.retry}
            </button>
          )}
          {kind === "http" && (
            <button
              type="button"
              aria-label={strings.card.remove(name)}
              className="plain-button min-h-8 pointer-coarse:min-h-10"
              onClick={() => setConfirming(true)}
            >
              {actions.remove}
            </button>
          )}
        </span>
      </div>
      {kind === "stdio" && <p className="text-sm text-soft">{strings.card.local}</p>}
      {headers.length > 0 && (
        <p className="text-sm wrap-anywhere text-soft">{strings.card.headers(joinList(headers))}</p>
      )}
      {why !== undefined && state !== "ready" && (
        <p dir="auto" className="text-sm wrap-anywhere text-soft">
          {why}
        </p>
      )}
      {problems.map((problem) => (
        <p key={problem} dir="auto" className="rounded-xl bg-warn-wash px-3 py-2 text-sm wrap-anywhere">
          {problem}
        </p>
      ))}
      {changes.map((change) => (
        <ToolChange key={change.tool} server={name} change={change} onChanged={onChanged} />
      ))}
      {tools.length > 0 && (
        <Disclosure label={strings.states.tools(tools.length)}>
          <ul className="mt-1 flex flex-wrap gap-1.5">
            {tools.map(({ tool, title, changed }) => (
              <li key={tool} className="max-w-full rounded-lg bg-hover px-2 py-1 text-xs wrap-anywhere">
                <bdi>{title === "" ? toToolTitle(tool) : title}</bdi>
                {changed && <span className="text-soft"> · {strings.card.changed}</span>}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
      {removing.state.name === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {removing.state.text}
        </p>
      )}
      {isConfirming && (
        <Confirm
          title={strings.card.removeTitle(name)}
          text={strings.card.removeAbout}
          action={actions.remove}
          onConfirm={() => void remove()}
          onClose={() => setConfirming(false)}
        />
      )}
    </li>
  );
};
