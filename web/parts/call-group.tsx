import { ListTree } from "lucide-react";
import { memo } from "react";
import { ReasoningPart } from "./reasoning-part.tsx";
import { cardKindOf } from "../labels/card-kind.ts";
import { Disclosure } from "../ui/disclosure.tsx";
import { foldChain, type Member } from "../tools/group-calls.ts";
import { summarizeCalls } from "../tools/summarize.ts";
import { ToolCard } from "./tool-card.tsx";

type Props = { readonly members: readonly Member[]; readonly isOver: boolean };

/** Consecutive tool calls in one box; finished ones are folded into one line. */
const CallBox = ({ members, isOver }: Props) => {
  const { folded, shown } = foldChain(members, isOver);
  const [plan, rest] = splitPlan(shown);
  return (
    <div className="grid rounded-2xl bg-sunk py-1 [&>*]:min-w-0">
      {plan.map(draw)}
      {folded.length > 0 && (
        <div className="px-3 py-1">
          <Disclosure
            label={
              <>
                <ListTree aria-hidden="true" className="size-4 flex-none" />
                <span className="min-w-0">{summarizeCalls(folded.filter((member) => member.kind === "tool"))}</span>
              </>
            }
          >
            <div className="-mx-3 grid pt-1 [&>*]:min-w-0">{folded.map(draw)}</div>
          </Disclosure>
        </div>
      )}
      {rest.map(draw)}
    </div>
  );
};

/** The list is rebuilt for every delta, but its members keep their identity. */
export const CallGroup = memo(
  CallBox,
  (a, b) =>
    a.isOver === b.isOver &&
    a.members.length === b.members.length &&
    a.members.every((member, index) => member === b.members[index]),
);

/** A research plan is shown above its calls. */
const splitPlan = (members: readonly Member[]): readonly [readonly Member[], readonly Member[]] => {
  const first = members[0];
  return first?.kind === "tool" && cardKindOf(first.name) === "plan" ? [[first], members.slice(1)] : [[], members];
};

const draw = (member: Member) =>
  member.kind === "tool" ? (
    <ToolCard key={member.id} part={member} />
  ) : (
    <div key={member.id} className="px-3">
      <ReasoningPart part={member} />
    </div>
  );
