import { ArrowLeft, ArrowRight, Link2, Unlink } from "lucide-react";
import { useState } from "react";
import type { Response } from "../../../protocol/api.ts";
import { relations } from "../../../protocol/project/kinds.ts";
import { leaveBy } from "../../lib/escape.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { EntityLink } from "../entity-link.tsx";
import { EntityPicker } from "../entity-picker.tsx";
import { Quiet, Section } from "../../ui/section.tsx";
import { useProject } from "../../state/project/project-context.ts";
import { capital } from "../../lib/format.ts";

type Links = Response<"getEntity">["links"];
type Props = { readonly entityId: string; readonly links: Links };

/** What a thing has to do with others, in either direction. */
export const EntityLinks = ({ entityId, links }: Props) => {
  const { projectId, writer } = useProject();
  const [isAdding, setAdding] = useState(false);
  return (
    <Section
      title="Links"
      count={links.length}
      actions={
        !isAdding && (
          <button
            type="button"
            className="plain-button min-h-8 bg-transparent text-soft"
            onClick={() => setAdding(true)}
          >
            <Link2 aria-hidden="true" className="size-3.5" />
            Link
          </button>
        )
      }
    >
      {links.length === 0 && !isAdding && <Quiet>Linked with nothing yet.</Quiet>}
      <ul className="-mx-2.5 grid [&>*]:min-w-0">
        {links.map(({ edge, other }) => (
          <li key={`${edge.sourceId} ${edge.relation} ${edge.targetId}`} className="group/link flex items-center">
            <span className="flex w-28 flex-none items-center gap-1 ps-2.5 text-xs text-soft">
              {edge.sourceId === entityId ? (
                <ArrowRight aria-label="to" className="size-3.5 flex-none rtl:-scale-x-100" />
              ) : (
                <ArrowLeft aria-label="from" className="size-3.5 flex-none rtl:-scale-x-100" />
              )}
              <span className="truncate">{capital(edge.relation)}</span>
            </span>
            <span className="min-w-0 flex-1">
              <EntityLink projectId={projectId} entity={other} />
            </span>
            <IconButton
              label={`Unlink ${other.title}`}
              className="opacity-0 group-focus-within/link:opacity-100 group-hover/link:opacity-100 pointer-coarse:opacity-100"
              onClick={() => void writer.act([{ do: "unlink", ...edge }], { offer: true })}
            >
              <Unlink aria-hidden="true" className="size-4" />
            </IconButton>
          </li>
        ))}
      </ul>
      {isAdding && <AddLink entityId={entityId} onClose={() => setAdding(false)} />}
    </Section>
  );
};

const ownWord = "another word…";

const AddLink = ({ entityId, onClose }: { readonly entityId: string; readonly onClose: () => void }) => {
  const { projectId, writer } = useProject();
  const [relation, setRelation] = useState<string>(relations[0]);
  const [word, setWord] = useState("");
  const said = relation === ownWord ? toRelation(word) : relation;
  return (
    <div
      role="group"
      aria-label="A new link"
      className="mt-1 grid gap-2 rounded-2xl bg-raised p-3"
      {...leaveBy(onClose)}
    >
      <div className="flex gap-2">
        <select
          aria-label="Relation"
          value={relation}
          onChange={(event) => setRelation(event.target.value)}
          className="h-9 min-w-0 flex-1 rounded-xl bg-hover px-3 text-sm pointer-coarse:h-11"
        >
          {[...relations, ownWord].map((one) => (
            <option key={one} value={one} className="bg-raised text-ink">
              {capital(one)}
            </option>
          ))}
        </select>
        {relation === ownWord && (
          <input
            aria-label="The word for it"
            placeholder="informs"
            value={word}
            maxLength={40}
            onChange={(event) => setWord(event.target.value)}
            className="h-9 min-w-0 flex-1 rounded-xl bg-hover px-3 text-sm placeholder:text-soft pointer-coarse:h-11"
          />
        )}
      </div>
      <EntityPicker
        projectId={projectId}
        label="Link with"
        without={[entityId]}
        onLeave={onClose}
        onPick={({ id }) => {
          if (said === "") return;
          void writer.act([{ do: "link", sourceId: entityId, targetId: id, relation: said }]);
          onClose();
        }}
      />
    </div>
  );
};

/** As relations are written: small letters, digits and hyphens. */
const toRelation = (word: string): string =>
  word
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|(?<!-)-+$/g, "");
