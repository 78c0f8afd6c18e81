import { AtSign, FileText, FolderKanban, Shapes, TextQuote, Wrench } from "lucide-react";
import { useEffect, useRef } from "react";
import { composer } from "../strings/composer.ts";
import type { Suggestion } from "./completion.ts";
import type { Completion } from "./use-completion.ts";

type Props = { readonly completion: Completion };

export const toOptionId = (listId: string, index: number): string => `${listId}-${index}`;

const strings = composer.suggestions;
const icons = {
  prompt: TextQuote,
  command: AtSign,
  tool: Wrench,
  file: FileText,
  entity: Shapes,
  project: FolderKanban,
} as const satisfies Record<Suggestion["kind"], unknown>;

/** Above the field, so that a phone's keyboard does not cover it. */
export const SuggestionList = ({ completion: { listId, items, at, pick } }: Props) => {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at]);
  if (items.length === 0) return null;
  return (
    <div
      ref={list}
      id={listId}
      role="listbox"
      aria-label={strings.label}
      tabIndex={-1}
      className="absolute inset-x-0 bottom-full z-20 mb-2 max-h-[min(18rem,40dvh)] animate-rise overflow-y-auto overscroll-contain rounded-2xl bg-raised p-1.5 shadow-float"
    >
      {items.map((item, index) => {
        const Icon = icons[item.kind];
        return (
          <div
            key={`${item.kind} ${item.id}`}
            id={toOptionId(listId, index)}
            role="option"
            aria-selected={index === at}
            // Keeps the focus in the field, and a phone's keyboard open.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(item)}
            className={`flex min-h-9 cursor-pointer items-center gap-2.5 rounded-xl px-2.5 py-1 text-sm hover:bg-hover pointer-coarse:min-h-11 ${index === at ? "bg-hover" : ""}`}
          >
            <Icon aria-hidden="true" className="size-4 flex-none text-soft" />
            <span dir="auto" className="max-w-[75%] flex-none truncate font-medium">
              {item.name}
            </span>
            <span dir="auto" className="min-w-0 flex-1 truncate text-soft">
              {item.about}
            </span>
            <span className="flex-none text-xs text-soft max-sm:sr-only">{strings.kinds[item.kind]}</span>
          </div>
        );
      })}
    </div>
  );
};
