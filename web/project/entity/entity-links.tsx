import { ArrowLeft, ArrowRight, Link2, Unlink } from "lucide-react";
import { useState } from "react";
import type { Response } from "../../../protocol/api.ts";
import { relations } from "../../../protocol/project/kinds.ts";
import { escapeProps } from "../../lib/escape.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { EntityLink } from "../entity-link.tsx";
import { EntityPicker } from "../entity-picker.tsx";
import { Quiet, Section } from "../../ui/section.tsx";
import { useProject } from "../../state/project/project-context.ts";
import { capital } from "../../lib/format.ts";
import { project } from "../../strings/project/page.ts";
import { nameRelation } from "../../labels/entities.ts";

const strings = project.links;

type Links = Response<"getEntity">["links"];
type Props = { readonly entityId: string; readonly links: Links };

/** Links of an entity, in both directions. */
export const EntityLinks = ({ entityId, links }: Props) => {
  const { projectId, writer } = useProject();
  const [isAdding, setAdding] = useState(false);
  return (
    <Section
      title={strings.title}
      count={links.length}
      actions={
        !isAdding && (
          <button
            type="button"
            className="plain-button min-h-8 bg-transparent text-soft"
            onClick={() => setAdding(true)}
          >
            <Link2 aria-hidden="true" className="size-3.5" />
            {strings.add}
          </button>
        )
      }
    >
      {links.length === 0 && !isAdding && <Quiet>{strings.empty}</Quiet>}
      <ul className="-mx-2.5 grid [&>*]:min-w-0">
        {links.map(({ edge, other }) => (
          <li key={`${edge.sourceId} ${edge.relation} ${edge.targetId}`} className="group/link flex items-center">
            <span className="flex w-28 flex-none items-center gap-1 ps-2.5 text-xs text-soft">
              {edge.sourceId === entityId ? (
                <ArrowRight aria-label={strings.to} className="size-3.5 flex-none rtl:-scale-x-100" />
              ) : (
                <ArrowLeft aria-label={strings.from} className="size-3.5 flex-none rtl:-scale-x-100" />
              )}
              <span className="truncate">{capital(nameRelation(edge.relation))}</span>
            </span>
            <span className="min-w-0 flex-1">
              <EntityLink projectId={projectId} entity={other} />
            </span>
            <IconButton
              label={strings.unlink(other.title)}
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

const custom = "custom";

const AddLink = ({ entityId, onClose }: { readonly entityId: string; readonly onClose: () => void }) => {
  const { projectId, writer } = useProject();
  const [relation, setRelation] = useState<string>(relations[0]);
  const [customText, setCustomText] = useState("");
  const name = relation === custom ? toRelation(customText) : relation;
  return (
    <div
      role="group"
      aria-label={strings.new}
      className="mt-1 grid gap-2 rounded-2xl bg-raised p-3"
      {...escapeProps(onClose)}
    >
      <div className="flex gap-2">
        <select
          aria-label={strings.relation}
          value={relation}
          onChange={(event) => setRelation(event.target.value)}
          className="h-9 min-w-0 flex-1 rounded-xl bg-hover px-3 text-sm pointer-coarse:h-11"
        >
          {[...relations, custom].map((one) => (
            <option key={one} value={one} className="bg-raised text-ink">
              {one === custom ? strings.custom : capital(nameRelation(one))}
            </option>
          ))}
        </select>
        {relation === custom && (
          <input
            aria-label={strings.customRelation}
            placeholder={strings.customExample}
            value={customText}
            maxLength={40}
            onChange={(event) => setCustomText(event.target.value)}
            className="h-9 min-w-0 flex-1 rounded-xl bg-hover px-3 text-sm placeholder:text-soft pointer-coarse:h-11"
          />
        )}
      </div>
      <EntityPicker
        projectId={projectId}
        label={strings.target}
        without={[entityId]}
        onLeave={onClose}
        onPick={({ id }) => {
          if (name === "") return;
          void writer.act([{ do: "link", sourceId: entityId, targetId: id, relation: name }]);
          onClose();
        }}
      />
    </div>
  );
};

/** Normalizes a relation: lower-case letters, digits and hyphens. */
const toRelation = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|(?<!-)-+$/g, "");
