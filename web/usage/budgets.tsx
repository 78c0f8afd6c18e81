import { useState } from "react";
import type { Budget } from "../../protocol/cost.ts";
import { createId } from "../lib/ids.ts";
import { usePage } from "../state/page.ts";
import { useRequest } from "../lib/use-request.ts";
import { ActButton } from "../ui/act-button.tsx";
import { escapeProps } from "../lib/escape.ts";
import { useLoad } from "../lib/use-load.ts";
import { toAmount } from "../labels/cost.ts";
import { readLimit } from "./describe-costs.ts";
import { actions } from "../strings/actions.ts";
import { usage as strings } from "../strings/usage.ts";

const scopes = Object.keys(strings.budgets.scopes) as readonly Budget["scope"][];

/** Budgets, which reject a model call before it is made. */
export const Budgets = () => {
  const { client } = usePage();
  const { state, reload } = useLoad("budgets", (signal) => client.getBudgets({ params: {} }, signal));
  if (state.phase !== "ready") return null;
  return (
    <section aria-label={strings.budgets.title} className="mb-6">
      <h3 className="text-sm font-semibold">{strings.budgets.title}</h3>
      <p className="mb-2 text-xs text-soft">{strings.budgets.about}</p>
      <ul className="grid gap-1 sm:grid-cols-3">
        {scopes.map((scope) => (
          <Row
            key={scope}
            scope={scope}
            budget={state.value.budgets.find((one) => one.scope === scope) ?? null}
            onChanged={reload}
          />
        ))}
      </ul>
    </section>
  );
};

type RowProps = { readonly scope: Budget["scope"]; readonly budget: Budget | null; readonly onChanged: () => void };

const Row = ({ scope, budget, onChanged }: RowProps) => {
  const { client } = usePage();
  const [text, setText] = useState<string | null>(null);
  const { state, send } = useRequest();
  const limit = text === null ? null : readLimit(text);
  const save = async () => {
    if (limit === null) return;
    const body = { id: createId(), scope, limitUsd: limit };
    if (!(await send(() => client.setBudget({ params: {}, body })))) return;
    setText(null);
    onChanged();
  };
  return (
    <li className="grid content-start gap-1.5 rounded-xl bg-raised px-3.5 py-2.5 text-sm">
      <p className="flex items-baseline gap-2">
        <span className="text-xs text-soft">{strings.budgets.scopes[scope]}</span>
        <span className="ms-auto font-medium tabular-nums">
          {budget ? toAmount(budget.limitUsd) : strings.budgets.none}
        </span>
      </p>
      {budget && <Spent budget={budget} />}
      {budget?.fixed ? (
        <p className="text-xs text-soft">
          {budget.byAdmin === true ? strings.budgets.fixedByAdmin : strings.budgets.fixed}
        </p>
      ) : text === null ? (
        <div className="flex flex-wrap gap-1">
          <button
            type="button"
            aria-label={budget ? strings.budgets.changeFor(scope) : strings.budgets.setFor(scope)}
            className="plain-button min-h-8 px-2.5 text-xs pointer-coarse:min-h-10"
            onClick={() => setText(budget ? String(budget.limitUsd) : "")}
          >
            {budget ? strings.budgets.change : strings.budgets.set}
          </button>
          {budget && (
            <ActButton
              label={strings.budgets.removeFor(scope)}
              className="px-2.5 text-xs"
              act={(id) => client.setBudget({ params: {}, body: { id, scope, limitUsd: null } })}
              onDone={onChanged}
            >
              {actions.remove}
            </ActButton>
          )}
        </div>
      ) : (
        <form
          className="flex gap-1"
          {...escapeProps(() => setText(null))}
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <input
            autoFocus
            inputMode="decimal"
            aria-label={strings.budgets.field(scope)}
            placeholder="$"
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="h-8 w-full min-w-0 rounded-lg bg-sunk px-2 text-sm pointer-coarse:h-10 pointer-coarse:text-base"
          />
          <button
            type="submit"
            disabled={limit === null || state.name === "sending"}
            className="plain-button strong-button min-h-8 px-2.5 text-xs"
          >
            {actions.save}
          </button>
        </form>
      )}
      {state.name === "failed" && (
        <p role="alert" className="text-xs text-danger">
          {state.text}
        </p>
      )}
    </li>
  );
};

const Spent = ({ budget: { scope, spentUsd, limitUsd } }: { readonly budget: Budget }) => {
  const share = Math.min(1, spentUsd / limitUsd);
  if (scope === "thread") return <p className="text-xs text-soft">{strings.budgets.perThread}</p>;
  const left = Math.max(0, limitUsd - spentUsd);
  return (
    <>
      <div
        role="meter"
        aria-label={strings.budgets.meter(scope)}
        aria-valuemin={0}
        aria-valuemax={limitUsd}
        aria-valuenow={Math.min(spentUsd, limitUsd)}
        aria-valuetext={strings.budgets.spentOf(toAmount(spentUsd), toAmount(limitUsd))}
        className="h-2 overflow-hidden rounded-full bg-hover"
      >
        <div
          className={`h-full rounded-full ${share >= 0.9 ? "bg-danger" : share >= 0.7 ? "bg-(--slot-head)" : "bg-good"}`}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      <p className="text-xs text-soft tabular-nums">
        {left === 0 ? (
          <>
            {strings.budgets.allSpent(toAmount(spentUsd))}{" "}
            <span className="font-medium text-danger">{strings.budgets.usedUp}</span>
          </>
        ) : (
          strings.budgets.spent(toAmount(spentUsd), toAmount(left))
        )}
      </p>
    </>
  );
};
