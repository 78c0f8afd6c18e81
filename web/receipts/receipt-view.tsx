import { Search } from "lucide-react";
import { Tabs } from "radix-ui";
import { useDeferredValue, useMemo, useState, type ReactNode } from "react";
import type { ContextView } from "../../protocol/context/context.ts";
import type { LoadState } from "../lib/use-load.ts";
import { useContextView } from "../state/use-context-view.ts";
import { receipts } from "../strings/receipts.ts";
import { BudgetBar } from "./budget-bar.tsx";
import { CacheAndCost } from "./cache-and-cost.tsx";
import { Compare } from "./compare.tsx";
import { InList } from "./in-list.tsx";
import { OutList } from "./out-list.tsx";
import type { ReceiptDetails } from "./receipt-details.ts";
import { useJumpTo } from "./use-jump-to.ts";

const strings = receipts.tabs;

type Props = {
  readonly threadId: string;
  readonly details: ReceiptDetails;
  readonly onOpen?: (receiptId: string) => void;
};

/** One receipt: budget, items, omissions, cache, cost and comparison. */
export const ReceiptView = ({ threadId, details, onOpen }: Props) => {
  const [tab, setTab] = useState("in");
  const [query, setQuery] = useState("");
  const deferredQuery = useDeferredValue(query.trim());
  const jump = useJumpTo(threadId);
  const { state } = useContextView(threadId);
  const hints = useMemo(() => toHints(state), [state]);
  const { receipt, request, isPreview } = details;
  return (
    <>
      <BudgetBar receipt={receipt} />
      <Tabs.Root value={tab} onValueChange={setTab} className="mt-5">
        <Tabs.List
          aria-label={strings.label}
          className="sticky top-0 z-10 -mx-1 flex gap-0.5 overflow-x-auto bg-sunk px-1 py-2"
        >
          <Tab value="in" name={strings.included} count={receipt.items.length} />
          <Tab value="out" name={strings.omitted} count={receipt.leftOut.length} />
          <Tab value="cache" name={strings.cache} />
          <Tab value="compare" name={strings.compare} />
        </Tabs.List>
        {(tab === "in" || tab === "out") && <SearchField query={query} onChange={setQuery} />}
        <Panel value="in">
          <InList
            receipt={receipt}
            request={request}
            hints={hints}
            isLoading={!isPreview && request === null}
            query={deferredQuery}
            onJump={jump}
          />
        </Panel>
        <Panel value="out">
          <OutList
            leftOut={receipt.leftOut}
            summaries={state.phase === "ready" ? state.value.summaries : []}
            query={deferredQuery}
            onJump={jump}
          />
        </Panel>
        <Panel value="cache">
          <CacheAndCost details={details} />
        </Panel>
        <Panel value="compare">
          <Compare threadId={threadId} details={details} {...(onOpen ? { onOpen } : {})} />
        </Panel>
      </Tabs.Root>
    </>
  );
};

const toHints = (state: LoadState<ContextView>): ReadonlyMap<string, string> => {
  if (state.phase !== "ready") return new Map();
  const { pins, summaries } = state.value;
  return new Map([
    ...pins.map(({ id, text }) => [id, text] as const),
    ...summaries.map(({ id, fields }) => [id, fields?.overview ?? ""] as const),
  ]);
};

const Tab = ({ value, name, count }: { readonly value: string; readonly name: string; readonly count?: number }) => (
  <Tabs.Trigger
    value={value}
    className="flex-none rounded-lg px-3 py-1.5 text-sm text-soft transition-colors hover:text-ink data-[state=active]:bg-press data-[state=active]:font-medium data-[state=active]:text-ink pointer-coarse:py-2.5"
  >
    {name}
    {count !== undefined && <span className="ms-1.5 text-xs tabular-nums">{count}</span>}
  </Tabs.Trigger>
);

const Panel = ({ value, children }: { readonly value: string; readonly children: ReactNode }) => (
  <Tabs.Content value={value} className="rounded-lg pt-1 outline-offset-4">
    {children}
  </Tabs.Content>
);

const SearchField = ({ query, onChange }: { readonly query: string; readonly onChange: (query: string) => void }) => (
  <div className="relative mb-3">
    <Search aria-hidden="true" className="pointer-events-none absolute start-3 top-2.5 size-4 text-soft" />
    <input
      type="text"
      dir="auto"
      aria-label={strings.search}
      placeholder={strings.search}
      maxLength={200}
      value={query}
      onChange={(event) => onChange(event.target.value)}
      className="h-9 w-full rounded-xl bg-hover ps-9 pe-3 text-sm placeholder:text-soft pointer-coarse:text-base"
    />
  </div>
);
