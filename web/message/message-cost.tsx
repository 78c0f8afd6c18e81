import { DropdownMenu } from "radix-ui";
import { useLoad } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";
import { describeCost } from "../labels/cost.ts";

type Props = { readonly threadId: string; readonly runId: string };

/** Cost of this answer, requested when its menu is opened: messages do not include it. */
export const MessageCost = ({ threadId, runId }: Props) => {
  const { client } = usePage();
  const { state } = useLoad(`${threadId} ${runId}`, (signal) => client.getRun({ params: { threadId, runId } }, signal));
  return (
    <DropdownMenu.Label className="min-h-7 max-w-72 px-2.5 pt-2 pb-1 text-xs text-soft">
      {state.phase === "ready" ? describeCost(state.value.run) : state.phase === "failed" ? "Cost unknown" : "…"}
    </DropdownMenu.Label>
  );
};
