import { Download, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import type { MemoryField } from "../../protocol/memory.ts";
import { createId } from "../lib/ids.ts";
import { fieldWords } from "../labels/context.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { useRequest } from "../lib/use-request.ts";
import Confirm from "../ui/confirm.tsx";
import { ActButton } from "../ui/act-button.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { useLoad } from "../lib/use-load.ts";
import { FieldRow } from "./field-row.tsx";
import { History } from "./history.tsx";
const fields = Object.keys(fieldWords) as readonly MemoryField[];
const newest = 100;

/** The user's memory: view, edit, undo, delete and export. */
export const MemorySheet = ({ onClose }: { readonly onClose: () => void }) => {
  const { client, list } = usePage();
  const { state, reload } = useLoad("memory", (signal) =>
    client.getMemory({ params: {}, query: { limit: newest } }, signal),
  );
  const changes = useSignal(list.memory);
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes, reload]);
  const [forgetting, setForgetting] = useState<MemoryField | "all" | null>(null);
  const forget = useForget(reload);
  const memory = state.phase === "ready" ? state.value.memory : null;
  const isEmpty = memory !== null && fields.every((field) => memory[field] === null);
  return (
    <Sheet
      title="Memory"
      about="Memory about you, included in prompts to every model you use, local or not. Each receipt shows what an answer used of it."
      onClose={onClose}
    >
      {state.phase === "loading" && <p className="animate-late text-sm text-soft">Loading…</p>}
      {state.phase === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {state.text}
        </p>
      )}
      {state.phase === "ready" && (
        <>
          <ul aria-label="Remembered" className="grid gap-1">
            {fields.map((field) => (
              <FieldRow
                key={field}
                field={field}
                remembered={state.value.memory[field] ?? null}
                onChanged={reload}
                onForget={() => setForgetting(field)}
              />
            ))}
          </ul>
          {forget.text !== null && (
            <p role="alert" className="mt-2 text-sm text-danger">
              {forget.text}
            </p>
          )}
          <History changes={state.value.changes} onChanged={reload} />
          <div className="mt-6 flex flex-wrap gap-2">
            <ActButton act={async () => saveFile("stonechat-memory.json", await client.exportMemory({ params: {} }))}>
              <Download aria-hidden="true" className="size-3.5" />
              Export
            </ActButton>
            <button
              type="button"
              disabled={isEmpty}
              className="plain-button min-h-8 text-danger pointer-coarse:min-h-10"
              onClick={() => setForgetting("all")}
            >
              <Trash2 aria-hidden="true" className="size-3.5" />
              Forget everything
            </button>
          </div>
        </>
      )}
      {forgetting && (
        <Confirm
          title={forgetting === "all" ? "Forget everything?" : `Forget your ${fieldWords[forgetting].toLowerCase()}?`}
          text="It is removed together with its history, and no answer will be given it again. This cannot be undone."
          action="Forget"
          onConfirm={() => void forget.send(forgetting)}
          onClose={() => setForgetting(null)}
        />
      )}
    </Sheet>
  );
};

function useForget(onDone: () => void) {
  const { client } = usePage();
  const { state, send } = useRequest();
  return {
    text: state.name === "failed" ? state.text : null,
    send: async (what: MemoryField | "all") => {
      const body = { id: createId(), ...(what === "all" ? {} : { field: what }) };
      if (await send(() => client.forgetMemory({ params: {}, body }))) onDone();
    },
  };
}

/** Saves a text as a file download. */
function saveFile(name: string, value: unknown): void {
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has started reading it by then.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
