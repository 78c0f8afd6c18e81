import { Hammer, MessagesSquare, Users } from "lucide-react";
import { useSelected } from "../../lib/signal.ts";
import type { Create } from "../../state/outbox.ts";
import { usePage } from "../../state/page.ts";
import { members } from "../../strings/project/members.ts";
import { ProjectChips } from "./project-chips.tsx";
import { projectThread as strings } from "../../strings/project/thread.ts";

export type ProjectThread = Required<Pick<Create, "profile">> & {
  readonly projectId: string | null;
  readonly focusId: string | null;
  readonly mode: NonNullable<Create["mode"]> | null;
};

type Props = { readonly value: ProjectThread; readonly onChange: (value: ProjectThread) => void };

const purposes = [
  { profile: "project", label: strings.plan, Icon: MessagesSquare },
  { profile: "builder", label: strings.build, Icon: Hammer },
] as const;

/** Project, focus and purpose of a new thread. */
export const StartOptions = ({ value, onChange }: Props) => (
  <div className="mb-3 grid justify-items-center gap-3">
    <ProjectChips project={value} isWrapped onChange={(change) => onChange({ ...value, ...change })} />
    <SharedNote projectId={value.projectId} />
    <div role="radiogroup" aria-label={strings.purpose} className="flex rounded-full bg-sunk p-1">
      {purposes.map(({ profile, label, Icon }) => (
        <label
          key={profile}
          className="relative flex h-8 cursor-pointer items-center gap-1.5 rounded-full px-3.5 text-xs font-medium text-soft has-checked:bg-raised has-checked:text-ink has-checked:shadow-[0_1px_2px_var(--shadow)] has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent pointer-coarse:h-10"
        >
          <input
            type="radio"
            name="purpose"
            className="absolute opacity-0"
            checked={value.profile === profile}
            onChange={() => onChange({ ...value, profile })}
          />
          <Icon aria-hidden="true" className="size-3.5" />
          {label}
        </label>
      ))}
    </div>
  </div>
);

/** Threads of a project with members are shared with them. */
const SharedNote = ({ projectId }: { readonly projectId: string | null }) => {
  const isShared = useSelected(usePage().projects.state, ({ projects }) =>
    projects.some(({ id, role }) => id === projectId && role !== undefined),
  );
  if (!isShared) return null;
  return (
    <p className="flex items-center gap-1.5 text-xs text-soft">
      <Users aria-hidden="true" className="size-3.5 flex-none" />
      {members.startsShared}
    </p>
  );
};
