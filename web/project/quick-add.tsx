import { Plus } from "lucide-react";
import { useState } from "react";
import { createShortId } from "../lib/ids.ts";
import { projectLimits } from "../../protocol/project/kinds.ts";
import type { EntityOp } from "../../protocol/project/project.ts";
import { useProject } from "../state/project/project-context.ts";
import { project as strings } from "../strings/project/page.ts";
import { nameKind } from "../labels/entities.ts";

type Create = Extract<EntityOp, { do: "create" }>;
type Props = {
  readonly kind: string;
  readonly label?: string;
  /** Placeholder, if the label is visible elsewhere. */
  readonly hint?: string;
  /** Other fields of the created entity. */
  readonly given?: Partial<Omit<Create, "do" | "id" | "kind" | "title">>;
  readonly className?: string;
};

/** Creates an entity from one line with Enter. */
export const QuickAdd = ({
  kind,
  label = strings.add.label(nameKind(kind)),
  hint = label,
  given = {},
  className = "",
}: Props) => {
  const { writer } = useProject();
  const [title, setTitle] = useState("");
  const add = () => {
    const text = title.trim();
    if (text === "") return;
    setTitle("");
    void writer.act([{ do: "create", id: createShortId(), kind, title: text, parentId: null, ...given }]);
  };
  return (
    <form
      className={`group/add flex min-h-9 items-center gap-2 rounded-xl px-2.5 text-sm text-soft focus-within:bg-raised hover:bg-hover focus-within:hover:bg-raised pointer-coarse:min-h-11 ${className}`}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <Plus aria-hidden="true" className="size-4 flex-none" />
      <input
        dir="auto"
        value={title}
        maxLength={projectLimits.titleCharacters}
        aria-label={label}
        placeholder={hint}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || title === "") return;
          event.stopPropagation();
          setTitle("");
        }}
        className="min-w-0 flex-1 bg-transparent py-1.5 text-ink outline-none placeholder:text-soft pointer-coarse:text-base"
      />
      {title.trim() !== "" && (
        <button type="submit" className="flex-none rounded-lg px-2 py-1 text-xs font-medium text-accent hover:bg-hover">
          {strings.add.submit}
        </button>
      )}
    </form>
  );
};
