import { Hand } from "lucide-react";
import { useMemo, useState } from "react";
import { Quiet, Section, Waiting } from "../../ui/section.tsx";
import { fieldLook, Switch } from "../../ui/field.tsx";
import { describeApproval, describeEffects, groupTools, toToolTitle, type ToolOffer } from "./describe-tool.ts";
import { describeTool } from "../../labels/tools.ts";
import { usePage } from "../../state/page.ts";
import { usePreferences } from "../../state/use-preferences.ts";
import { toolSettings as strings } from "../../strings/settings/tools.ts";

/** All tools: what they do, and when they need approval. */
export const ToolList = ({ tools }: { readonly tools: readonly ToolOffer[] | null }) => {
  const [query, setQuery] = useState("");
  const { preferences, failure, request, save } = usePreferences();
  const { session } = usePage();
  const listed = useMemo(() => tools?.filter(({ name }) => !internal.has(name)) ?? null, [tools]);
  const matches = useMemo(() => {
    const words = query.trim().toLowerCase().split(/\s+/);
    return (listed ?? []).filter(({ name, description }) => {
      const text = `${name} ${toToolTitle(name)} ${describeTool(name, description)}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }, [listed, query]);
  const turn = async (name: string, isOn: boolean) => {
    const others = (preferences?.disabledTools ?? []).filter((one) => one !== name);
    // The suggestions after an @ are loaded again.
    if (await save({ disabledTools: isOn ? others : [...others, name] })) session.tools.set(null);
  };
  return (
    <Section title={strings.tools.title} {...(listed ? { count: listed.length } : {})}>
      <Quiet>{strings.tools.about}</Quiet>
      <Quiet>{strings.tools.switchAbout}</Quiet>
      {failure !== null && (
        <p role="alert" className="text-sm text-danger">
          {failure}
        </p>
      )}
      {listed === null ? (
        <Waiting />
      ) : (
        <input
          aria-label={strings.tools.filter}
          placeholder={strings.tools.filter}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className={`${fieldLook} mt-1`}
        />
      )}
      {listed !== null && matches.length === 0 && <Quiet>{strings.tools.noMatch}</Quiet>}
      {groupTools(matches).map(({ server, tools: members }) => (
        <div key={server} className="mt-4">
          <h3 className="mb-1 px-3 text-xs font-medium text-soft">{server ?? strings.tools.builtIn}</h3>
          <ul
            aria-label={server === null ? strings.tools.builtInList : strings.tools.serverList(server)}
            className="grid gap-0.5"
          >
            {members.map((tool) => (
              <Row
                key={tool.name}
                tool={tool}
                isOn={preferences === null ? null : !preferences.disabledTools.includes(tool.name)}
                isBusy={request.name === "sending"}
                onTurn={(isOn) => void turn(tool.name, isOn)}
              />
            ))}
          </ul>
        </div>
      ))}
    </Section>
  );
};

/** The engine's own tools. Without them, tools that are not in the prompt cannot be found. */
const internal: ReadonlySet<string> = new Set(["find_tools", "use_tool"]);

type RowProps = {
  readonly tool: ToolOffer;
  /** null: not known yet. */
  readonly isOn: boolean | null;
  readonly isBusy: boolean;
  readonly onTurn: (isOn: boolean) => void;
};

const Row = ({ tool, isOn, isBusy, onTurn }: RowProps) => {
  const approval = describeApproval(tool);
  return (
    <li className="rounded-xl px-3 py-2 text-sm [contain-intrinsic-size:auto_4rem] [content-visibility:auto] hover:bg-hover/60">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium wrap-anywhere">{toToolTitle(tool.name)}</span>
        <span className="font-mono text-xs wrap-anywhere text-soft">{tool.name}</span>
        <span className="ms-auto text-xs text-soft">{describeEffects(tool)}</span>
        {isOn !== null && (
          <Switch
            label={strings.tools.switch(toToolTitle(tool.name))}
            isOn={isOn}
            disabled={isBusy}
            onChange={onTurn}
          />
        )}
      </p>
      <p dir="auto" className="text-sm text-pretty wrap-anywhere text-soft">
        {describeTool(tool.name, tool.description)}
      </p>
      {approval !== null && (
        <p className="mt-0.5 flex items-center gap-1.5 text-xs text-accent">
          <Hand aria-hidden="true" className="size-3.5" />
          {approval}
        </p>
      )}
    </li>
  );
};
