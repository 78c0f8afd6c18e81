import { toKeyNames } from "./shortcut-list.tsx";
import { palette as strings } from "../strings/palette.ts";
import type { Command } from "./commands.ts";
import type { PaletteGroup } from "./group-commands.ts";

type Props = {
  readonly listId: string;
  readonly groups: readonly PaletteGroup[];
  /** Index, over all groups, of the command that Enter runs. */
  readonly active: number;
  /** With a query: each command shows its group. */
  readonly isSearch: boolean;
  readonly onRun: (command: Command) => void;
  readonly onPoint: (index: number) => void;
};

export const toOptionId = (listId: string, index: number): string => `${listId}-${index}`;

export const PaletteList = ({ listId, groups, active, isSearch, onRun, onPoint }: Props) => {
  const firsts = groups.map((_, at) => groups.slice(0, at).reduce((sum, group) => sum + group.commands.length, 0));
  return (
    <div
      id={listId}
      role="listbox"
      aria-label={strings.list}
      tabIndex={-1}
      className="min-h-0 overflow-y-auto overscroll-contain px-2 pb-2 empty:hidden"
    >
      {groups.map(({ title, commands }, at) => (
        <div key={title} role="group" aria-label={title}>
          {!isSearch && (
            <p role="presentation" className="px-3 pt-3 pb-1 text-xs font-medium text-soft">
              {title}
            </p>
          )}
          {commands.map((command, within) => {
            const index = (firsts[at] ?? 0) + within;
            return (
              <div
                key={command.id}
                id={toOptionId(listId, index)}
                role="option"
                aria-selected={index === active}
                onClick={() => onRun(command)}
                onPointerMove={() => index !== active && onPoint(index)}
                className={`flex min-h-9 cursor-pointer items-center gap-3 rounded-xl px-3 py-1.5 text-sm pointer-coarse:min-h-11 ${index === active ? "bg-hover" : ""}`}
              >
                <command.Icon aria-hidden="true" className="size-4 flex-none text-soft" />
                <span dir="auto" className="min-w-0 flex-1 truncate">
                  {command.title}
                </span>
                {isSearch && <span className="flex-none text-xs text-soft max-sm:hidden">{command.group}</span>}
                {command.keys && (
                  <span className="flex flex-none gap-1 pointer-coarse:hidden">
                    {toKeyNames(command.keys).map((name) => (
                      <kbd key={name} className="rounded-md bg-press px-1.5 font-mono text-[0.7rem] leading-5">
                        {name}
                      </kbd>
                    ))}
                  </span>
                )}
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
};
