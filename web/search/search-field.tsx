import { Search, X } from "lucide-react";
import { useRef, type KeyboardEvent } from "react";
import { usePage } from "../state/page.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { toSearchPath } from "../state/search-route.ts";
import { search as strings } from "../strings/search.ts";

export const searchFieldId = "search-threads";

type Props = { readonly query: string; readonly onChange: (query: string) => void };

export const SearchField = ({ query, onChange }: Props) => {
  const { go } = usePage();
  const field = useRef<HTMLInputElement>(null);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Escape" && query !== "") {
      event.stopPropagation();
      onChange("");
    }
    if (event.key === "Enter" && query.trim() !== "" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      go(toSearchPath({ q: query.trim() }));
    }
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    document.querySelector<HTMLElement>("[data-row]")?.focus();
  };
  return (
    <div role="search" className="relative mx-3 mb-2">
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute start-3 top-1/2 size-4 -translate-y-1/2 text-soft"
      />
      <input
        ref={field}
        id={searchFieldId}
        type="text"
        enterKeyHint="search"
        dir="auto"
        aria-label={strings.quick.label}
        placeholder={strings.quick.placeholder}
        maxLength={200}
        value={query}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-9 w-full rounded-xl bg-hover ps-9 pe-9 text-sm placeholder:text-soft pointer-coarse:text-base"
      />
      {query !== "" && (
        <IconButton
          label={strings.clear}
          className="absolute end-1 top-1 size-7"
          onClick={() => {
            onChange("");
            field.current?.focus();
          }}
        >
          <X aria-hidden="true" className="size-4" />
        </IconButton>
      )}
    </div>
  );
};
