import { Sheet } from "../ui/sheet.tsx";
import { useSignal } from "../lib/signal.ts";
import { useNow } from "../lib/use-now.ts";
import { useProject } from "../state/project/project-context.ts";
import type { Stale } from "../state/project/writer.ts";
import { describeChange } from "./describe-change.ts";
import { entities } from "../strings/project/entities.ts";
import { project } from "../strings/project/page.ts";

const strings = project.conflict;

/** A conflicting write: shows both versions, and the user chooses one. */
export const StaleSheet = () => {
  const { writer } = useProject();
  const stale = useSignal(writer.stale);
  const now = useNow();
  if (!stale) return null;
  const { title, fields } = compare(stale, now);
  return (
    <Sheet
      key={stale.id}
      title={strings.title}
      about={strings.about(title)}
      size="narrow"
      onClose={() => stale.answer("theirs")}
    >
      {fields.map(({ name, before, after }) => (
        <div key={name} className="mb-4">
          <h3 className="text-xs font-medium text-soft">{name}</h3>
          <div className="mt-1 grid gap-2 sm:grid-cols-2">
            <Side label={strings.theirs} text={before} />
            <Side label={strings.yours} text={after} />
          </div>
        </div>
      ))}
      <div className="flex flex-wrap justify-end gap-2">
        <button type="button" className="plain-button" onClick={() => stale.answer("theirs")}>
          {strings.takeTheirs}
        </button>
        <button type="button" className="plain-button strong-button" onClick={() => stale.answer("mine")}>
          {strings.keepMine}
        </button>
      </div>
    </Sheet>
  );
};

const Side = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <div className="min-w-0 rounded-xl bg-sunk px-3 py-2 text-sm">
    <p className="text-xs text-soft">{label}</p>
    <p dir="auto" className="max-h-48 overflow-y-auto wrap-anywhere whitespace-pre-wrap">
      {text === "" ? <i className="text-soft">{entities.changes.none}</i> : text}
    </p>
  </div>
);

function compare({ what, current }: Stale, now: number) {
  const title = String(current["title"] ?? current["name"] ?? "");
  const mine = what.do === "change" ? what.patch : what.do === "act" ? (what.ops[0] ?? {}) : {};
  const { do: doing, ...wanted } = mine as Record<string, unknown>;
  if (doing === "delete" || doing === "move") {
    const after = doing === "delete" ? strings.delete : strings.move;
    return { title, fields: [{ name: strings.action, before: strings.noAction, after }] };
  }
  const before = Object.fromEntries(Object.keys(wanted).map((key) => [key, current[key]]));
  return { title, fields: describeChange({ what: "entity", id: "", title, before, after: wanted }, now) };
}
