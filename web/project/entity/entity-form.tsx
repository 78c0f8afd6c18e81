import type { ReactNode } from "react";
import { findKind, priorities, projectLimits } from "../../../protocol/project/kinds.ts";
import type { Entity, EntityOp } from "../../../protocol/project/project.ts";
import { Select } from "../../ui/select.tsx";
import { InPlace } from "../../ui/in-place.tsx";
import { useProject } from "../../state/project/project-context.ts";
import { capital } from "../../lib/format.ts";
import { DateField } from "./date-field.tsx";

type Patch = Omit<Extract<EntityOp, { do: "update" }>, "do" | "id" | "version">;

/** What a thing says of itself, by what its kind has. Each field is kept when it is left. */
export const EntityForm = ({ entity }: { readonly entity: Entity }) => {
  const { writer } = useProject();
  const kind = findKind(entity.kind);
  const set = (patch: Patch, version = entity.version) =>
    void writer.act([{ do: "update", id: entity.id, version, ...patch }]);
  const states = kind?.states ?? [entity.state];
  return (
    <div className="grid gap-3">
      <InPlace
        label="Title"
        value={entity.title}
        version={entity.version}
        hint="Untitled"
        limit={projectLimits.titleCharacters}
        isNeeded
        look="font-serif text-2xl leading-snug tracking-tight"
        onSave={(title, version) => set({ title }, version)}
      />
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2 text-sm">
        <Row name="State">
          <Select label="State" value={entity.state} choices={states} onChoose={(state) => set({ state })} />
        </Row>
        <Row name="Priority">
          <Select
            label="Priority"
            value={entity.priority}
            choices={priorities}
            onChoose={(priority) => set({ priority })}
          />
        </Row>
        {kind?.starts && (
          <Row name={capital(kind.starts)}>
            <DateField
              label={capital(kind.starts)}
              edge="start"
              at={entity.startsAt}
              onChange={(startsAt) => set({ startsAt, ...pushEnd(startsAt, entity.endsAt) })}
            />
          </Row>
        )}
        {kind?.ends && (
          <Row name={capital(kind.ends)}>
            <DateField
              label={capital(kind.ends)}
              edge="end"
              at={entity.endsAt}
              onChange={(endsAt) => set({ endsAt, ...pullStart(entity.startsAt, endsAt) })}
            />
          </Row>
        )}
      </dl>
    </div>
  );
};

const Row = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </>
);

/** Nothing ends before it begins: the other date goes along. */
const pushEnd = (startsAt: number | null, endsAt: number | null): Patch =>
  startsAt !== null && endsAt !== null && endsAt < startsAt ? { endsAt: startsAt } : {};
const pullStart = (startsAt: number | null, endsAt: number | null): Patch =>
  startsAt !== null && endsAt !== null && endsAt < startsAt ? { startsAt: endsAt } : {};
