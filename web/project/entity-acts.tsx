import { useState } from "react";
import { useNow } from "../lib/use-now.ts";
import { Fold } from "../ui/fold.tsx";
import { Quiet, Waiting } from "../ui/section.tsx";
import { ActRow } from "./act-row.tsx";
import { useActs } from "./use-acts.ts";
import { project as strings } from "../strings/project/page.ts";

/** Activity of one entity, loaded when opened. */
export const EntityActs = ({ entityId }: { readonly entityId: string }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <Fold label={strings.activity.history} onToggle={setOpen}>
      {isOpen && <List entityId={entityId} />}
    </Fold>
  );
};

const List = ({ entityId }: { readonly entityId: string }) => {
  const { phase, text, acts, hasMore, more } = useActs(entityId, 20);
  const now = useNow();
  return (
    <div className="ps-1">
      {phase === "loading" && <Waiting />}
      {phase === "failed" && <Quiet>{text}</Quiet>}
      {acts.map((act) => (
        <ActRow key={act.id} act={act} now={now} />
      ))}
      {hasMore && (
        <button type="button" className="plain-button min-h-8" onClick={more}>
          {strings.activity.showEarlier}
        </button>
      )}
    </div>
  );
};
