import { Popover } from "radix-ui";
import { useState, type ReactNode } from "react";
import { kinds, projectLimits } from "../../../protocol/project/kinds.ts";
import { createShortId } from "../../lib/ids.ts";
import { Select } from "../../ui/select.tsx";
import { useProject } from "../../state/project/project-context.ts";
import { readEntry } from "./day-layout.ts";
import { project as strings } from "../../strings/project/page.ts";
import { nameKind, nameAll } from "../../labels/entities.ts";

type Props = {
  readonly day: string;
  readonly name: string;
  readonly onClose: () => void;
  /** The button that opens it. */
  readonly children: ReactNode;
};

const datedKinds = kinds.filter(({ starts, ends }) => starts !== null || ends !== null).map(({ name }) => name);

/** Form that creates an entity on a day. */
export const AddOnDay = ({ day, name, onClose, children }: Props) => {
  const { writer } = useProject();
  const [text, setText] = useState("");
  const [kind, setKind] = useState("event");
  const add = () => {
    const entry = readEntry(text, day, kind);
    if (entry.title === "") return;
    void writer.act([{ do: "create", id: createShortId(), kind, parentId: null, ...entry }]);
    onClose();
  };
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Popover.Anchor asChild>{children}</Popover.Anchor>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={12}
          aria-label={strings.timeline.addToDay(name)}
          className="z-50 w-[min(20rem,calc(100vw-1.5rem))] animate-rise rounded-2xl bg-raised p-3 shadow-float"
        >
          <form
            className="grid gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              add();
            }}
          >
            <p className="text-xs text-soft">{name}</p>
            <input
              dir="auto"
              aria-label={strings.timeline.entryTitle}
              placeholder={strings.timeline.entryExample}
              value={text}
              maxLength={projectLimits.titleCharacters}
              onChange={(event) => setText(event.target.value)}
              className="h-9 rounded-xl bg-hover px-3 text-sm placeholder:text-soft pointer-coarse:h-11 pointer-coarse:text-base"
            />
            <span className="flex gap-2">
              <Select
                label={strings.timeline.kind}
                value={kind}
                choices={datedKinds}
                words={nameAll(datedKinds, nameKind)}
                className="flex-1"
                onChoose={setKind}
              />
              <button type="submit" className="plain-button strong-button" disabled={text.trim() === ""}>
                {strings.timeline.add}
              </button>
            </span>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
};
