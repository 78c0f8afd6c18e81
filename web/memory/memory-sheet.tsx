import { Download, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import type { MemoryField } from "../../protocol/memory.ts";
import { createId } from "../lib/ids.ts";
import { fieldWords } from "../labels/context.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { useRequest } from "../lib/use-request.ts";
import { usePreferences } from "../state/use-preferences.ts";
import { Switch } from "../ui/field.tsx";
import Confirm from "../ui/confirm.tsx";
import { ActButton } from "../ui/act-button.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { useLoad } from "../lib/use-load.ts";
import { FieldRow } from "./field-row.tsx";
import { History } from "./history.tsx";
import { actions } from "../strings/actions.ts";
import { memory as strings } from "../strings/memory.ts";

const fields = Object.keys(fieldWords) as readonly MemoryField[];
/** Changes shown in the history. */
const historyLimit = 100;

/** The user's memory: view, edit, undo, delete and export. */
export const MemorySheet = ({ onClose }: { readonly onClose: () => void }) => {
  const { client, list } = usePage();
  const { state, reload } = useLoad("memory", (signal) =>
    client.getMemory({ params: {}, query: { limit: historyLimit } }, signal),
  );
  const changes = useSignal(list.memory);
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes, reload]);
  const { preferences, failure, request, save } = usePreferences();
  const [forgetting, setForgetting] = useState<MemoryField | "all" | null>(null);
  const forget = useForget(reload);
  const memory = state.phase === "ready" ? state.value.memory : null;
  const isEmpty = memory !== null && fields.every((field) => memory[field] === null);
  return (
    <Sheet title={strings.title} about={strings.about} onClose={onClose}>
      {preferences && (
        <div className="mb-3 grid gap-1 rounded-2xl bg-raised px-4 py-2.5">
          <Switch
            label={strings.switch}
            isOn={preferences.memory}
            disabled={request.name === "sending"}
            onChange={(isOn) => void save({ memory: isOn })}
          >
            {strings.switch}
          </Switch>
          <p className="text-xs text-soft">{preferences.memory ? strings.on : strings.off}</p>
        </div>
      )}
      {failure !== null && (
        <p role="alert" className="mb-2 text-sm text-danger">
          {failure}
        </p>
      )}
      {state.phase === "loading" && <p className="animate-late text-sm text-soft">{actions.loading}</p>}
      {state.phase === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {state.text}
        </p>
      )}
      {state.phase === "ready" && (
        <>
          <ul aria-label={strings.list} className="grid gap-1">
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
              {strings.export}
            </ActButton>
            <button
              type="button"
              disabled={isEmpty}
              className="plain-button min-h-8 text-danger pointer-coarse:min-h-10"
              onClick={() => setForgetting("all")}
            >
              <Trash2 aria-hidden="true" className="size-3.5" />
              {strings.forgetAll}
            </button>
          </div>
        </>
      )}
      {forgetting && (
        <Confirm
          title={
            forgetting === "all" ? strings.forgetAllTitle : strings.forgetTitle(fieldWords[forgetting].toLowerCase())
          }
          text={strings.forgetAbout}
          action={strings.forget}
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
    send: async (target: MemoryField | "all") => {
      const body = { id: createId(), ...(target === "all" ? {} : { field: target }) };
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
