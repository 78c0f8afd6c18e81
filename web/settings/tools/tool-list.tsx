import { Hand } from "lucide-react";
import { useMemo, useState } from "react";
import { Quiet, Section, Waiting } from "../../ui/section.tsx";
import { fieldLook } from "../../ui/field.tsx";
import { describeApproval, describeEffects, groupTools, toToolTitle, type ToolOffer } from "./describe-tool.ts";
import { toolSettings as strings } from "../../strings/settings/tools.ts";

/** All tools: what they do, and when they need approval. */
export const ToolList = ({ tools }: { readonly tools: readonly ToolOffer[] | null }) => {
  const [query, setQuery] = useState("");
  const matches = useMemo(() => {
    const words = query.trim().toLowerCase().split(/\s+/);
    return (tools ?? []).filter(({ name, description }) => {
      const text = `${name} ${toToolTitle(name)} ${description}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }, [tools, query]);
  return (
    <Section title={strings.tools.title} {...(tools ? { count: tools.length } : {})}>
      <Quiet>{strings.tools.about}</Quiet>
      {tools === null ? (
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
      {tools !== null && matches.length === 0 && <Quiet>{strings.tools.noMatch}</Quiet>}
      {groupTools(matches).map(({ server, tools: members }) => (
        <div key={server} className="mt-4">
          <h3 className="mb-1 px-3 text-xs font-medium text-soft">{server ?? strings.tools.builtIn}</h3>
          <ul
            aria-label={server === null ? strings.tools.builtInList : strings.tools.serverList(server)}
            className="grid gap-0.5"
          >
            {members.map((tool) => (
              <Row key={tool.name} tool={tool} />
            ))}
          </ul>
        </div>
      ))}
    </Section>
  );
};

const Row = ({ tool }: { readonly tool: ToolOffer }) => {
  const approval = describeApproval(tool);
  return (
    <li className="rounded-xl px-3 py-2 text-sm [contain-intrinsic-size:auto_4rem] [content-visibility:auto] hover:bg-hover/60">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium wrap-anywhere">{toToolTitle(tool.name)}</span>
        <span className="font-mono text-xs wrap-anywhere text-soft">{tool.name}</span>
        <span className="ms-auto text-xs text-soft">{describeEffects(tool)}</span>
      </p>
      <p dir="auto" className="text-sm text-pretty wrap-anywhere text-soft">
        {tool.description}
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
