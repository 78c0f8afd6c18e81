import type { ReactNode } from "react";
import { findKind, priorities, projectLimits } from "../../../protocol/project/kinds.ts";
import type { Entity, EntityOp } from "../../../protocol/project/project.ts";
import { Select } from "../../ui/select.tsx";
import { InPlace } from "../../ui/in-place.tsx";
import { useProject } from "../../state/project/project-context.ts";
import { capital } from "../../lib/format.ts";
import { DateField } from "./date-field.tsx";
import { project as strings } from "../../strings/project/page.ts";
import { nameDate, namePriority, nameState, nameAll } from "../../labels/entities.ts";

type Patch = Omit<Extract<EntityOp, { do: "update" }>, "do" | "id" | "version">;

/** The fields that an entity's kind has. Each is saved on blur. */
export const EntityForm = ({ entity }: { readonly entity: Entity }) => {
  const { writer } = useProject();
  const kind = findKind(entity.kind);
  const set = (patch: Patch, version = entity.version) =>
    void writer.act([{ do: "update", id: entity.id, version, ...patch }]);
  const states = kind?.states ?? [entity.state];
  return (
    <div className="grid gap-3">
      <InPlace
        label={strings.entity.title}
        value={entity.title}
        version={entity.version}
        hint={strings.entity.untitled}
        limit={projectLimits.titleCharacters}
        isNeeded
        look="font-serif text-2xl leading-snug tracking-tight"
        onSave={(title, version) => set({ title }, version)}
      />
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2 text-sm">
        <Row name={strings.entity.state}>
          <Select
            label={strings.entity.state}
            value={entity.state}
            choices={states}
            words={nameAll(states, nameState)}
            onChoose={(state) => set({ state })}
          />
        </Row>
        <Row name={strings.entity.priority}>
          <Select
            label={strings.entity.priority}
            value={entity.priority}
            choices={priorities}
            words={nameAll(priorities, namePriority)}
            onChoose={(priority) => set({ priority })}
          />
        </Row>
        {kind?.starts && (
          <Row name={capital(nameDate(kind.starts))}>
            <DateField
              label={capital(nameDate(kind.starts))}
              edge="start"
              at={entity.startsAt}
              onChange={(startsAt) => set({ startsAt, ...pushEnd(startsAt, entity.endsAt) })}
            />
          </Row>
        )}
        {kind?.ends && (
          <Row name={capital(nameDate(kind.ends))}>
            <DateField
              label={capital(nameDate(kind.ends))}
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

/** Keep the end after the start by moving the other date. */
const pushEnd = (startsAt: number | null, endsAt: number | null): Patch =>
  startsAt !== null && endsAt !== null && endsAt < startsAt ? { endsAt: startsAt } : {};
const pullStart = (startsAt: number | null, endsAt: number | null): Patch =>
  startsAt !== null && endsAt !== null && endsAt < startsAt ? { startsAt: endsAt } : {};
