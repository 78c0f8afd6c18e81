import { Trash2 } from "lucide-react";
import { AlertDialog } from "radix-ui";
import { useRef, useState } from "react";
import type { BodyInput } from "../../protocol/api.ts";
import { createId } from "../lib/ids.ts";
import { Quiet, Section } from "../ui/section.tsx";
import { looks } from "../state/look.ts";
import { usePage } from "../state/page.ts";
import { removeStored } from "../lib/storage.ts";
import { useRequest } from "../lib/use-request.ts";
import { Field } from "../ui/field.tsx";
import { actions } from "../strings/actions.ts";
import { languageKey } from "../strings/language.ts";
import { settings as strings } from "../strings/settings/page.ts";

/** The user types this text to confirm. */
const confirmation: BodyInput<"deleteEverything">["confirm"] = "delete everything";

/** Deletes all data of the user, after typing a confirmation. */
export const DeleteEverything = () => {
  const [isConfirming, setConfirming] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  return (
    <Section title={strings.deletion.title}>
      <Quiet>{strings.deletion.about}</Quiet>
      {done === null ? (
        <button type="button" className="plain-button mt-2 text-danger" onClick={() => setConfirming(true)}>
          <Trash2 aria-hidden="true" className="size-4" />
          {strings.deletion.open}
        </button>
      ) : (
        <div className="mt-2 grid justify-items-start gap-3 rounded-2xl bg-raised px-4 py-3.5">
          <p role="status" className="text-sm">
            {done}
          </p>
          {/* Reloads the page to drop all state. */}
          <a href="/" target="_self" className="plain-button">
            {strings.deletion.startOver}
          </a>
        </div>
      )}
      {isConfirming && <ConfirmDialog onDone={setDone} onClose={() => setConfirming(false)} />}
    </Section>
  );
};

type ConfirmDialogProps = { readonly onDone: (text: string) => void; readonly onClose: () => void };

const ConfirmDialog = ({ onDone, onClose }: ConfirmDialogProps) => {
  const { client } = usePage();
  const [typed, setTyped] = useState("");
  const [costs, setCosts] = useState(false);
  const { state, send } = useRequest();
  // A retry after a failure uses the same id.
  const id = useRef(createId());
  const isConfirmed = typed.trim().toLowerCase() === confirmation;
  const remove = async () => {
    if (!isConfirmed) return;
    const body = { id: id.current, confirm: confirmation, costs };
    const response = await send(() => client.deleteEverything({ params: {}, body }));
    if (!response) return;
    removeStored([...Object.keys(looks), languageKey]);
    onDone(response.text);
    onClose();
  };
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <AlertDialog.Content className="fixed top-1/2 left-1/2 z-50 w-[min(28rem,calc(100vw-2rem))] -translate-1/2 animate-rise rounded-2xl bg-raised p-6 shadow-float">
          <AlertDialog.Title className="text-lg font-semibold">{strings.deletion.confirmTitle}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-sm text-pretty text-soft">
            {strings.deletion.confirmAbout}
          </AlertDialog.Description>
          <form
            className="mt-4 grid gap-4"
            onSubmit={(event) => {
              event.preventDefault();
              void remove();
            }}
          >
            <Field
              label={strings.deletion.confirmField(confirmation)}
              autoFocus
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
            <label className="flex items-start gap-2.5 text-sm">
              <input
                type="checkbox"
                checked={costs}
                onChange={(event) => setCosts(event.target.checked)}
                className="mt-0.5 size-4 accent-(--accent)"
              />
              <span>
                {strings.deletion.costs}
                <span className="block text-xs text-soft">{strings.deletion.costsAbout}</span>
              </span>
            </label>
            {state.name === "failed" && (
              <p role="alert" className="text-sm text-danger">
                {state.text}
              </p>
            )}
            <div className="flex flex-wrap justify-end gap-2">
              <AlertDialog.Cancel className="plain-button">{actions.cancel}</AlertDialog.Cancel>
              <button
                type="submit"
                className="plain-button strong-button whitespace-nowrap"
                disabled={!isConfirmed || state.name === "sending"}
              >
                {state.name === "sending" ? strings.deletion.deleting : strings.deletion.confirm}
              </button>
            </div>
          </form>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
};
