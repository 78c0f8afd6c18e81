import { BadgeCheck, Check, CircleAlert, X } from "lucide-react";
import type { ReactNode } from "react";
import type { Receipt } from "../../protocol/context/receipt.ts";
import { policyWords, toBroken, toCheck } from "../labels/context.ts";
import { toDollars } from "../labels/cost.ts";
import { receipts as strings } from "../strings/receipts.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { groupDigits } from "../lib/format.ts";
import type { ReceiptDetails } from "./receipt-details.ts";

/** Expected and actual use of the provider's cache, the cost, and whether the receipt was verified. */
export const CacheAndCost = ({ details }: { readonly details: ReceiptDetails }) => {
  const { receipt, call, cacheNote } = details;
  const { cache, promptTokens } = receipt;
  const percent = promptTokens === 0 ? 0 : Math.round((cache.shared / promptTokens) * 100);
  const cacheMiss = cacheNote ?? (cache.broke === null ? null : toBroken(cache.broke));
  return (
    <div className="grid gap-6">
      <section aria-label={strings.cache.title} className="grid gap-2">
        <h3 className="text-sm font-semibold">{strings.cache.title}</h3>
        <p className="text-sm text-pretty">
          {strings.cache.shared(
            percent,
            groupDigits(cache.shared),
            groupDigits(promptTokens),
            groupDigits(cache.stable),
          )}
        </p>
        <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-press">
          <div className="h-full bg-good" style={{ width: `${percent}%` }} />
        </div>
        {cacheMiss !== null && (
          <p
            role="note"
            className={`rounded-xl px-3 py-2 text-sm text-pretty ${cache.broke === null ? "bg-raised" : "bg-warn-wash"}`}
          >
            {cacheMiss}
          </p>
        )}
      </section>
      <section aria-label={strings.cache.table}>
        <table className="w-full text-sm tabular-nums">
          <thead className="text-xs text-soft">
            <tr>
              <th scope="col" className="pb-1 text-start font-medium">
                {strings.cache.tokens}
              </th>
              <th scope="col" className="pb-1 text-end font-medium">
                {strings.cache.expected}
              </th>
              <th scope="col" className="pb-1 text-end font-medium">
                {strings.cache.actual}
              </th>
            </tr>
          </thead>
          <tbody>
            <Row name={strings.cache.read} expected={cache.expectedRead} actual={call?.usage.cacheReadTokens} />
            <Row name={strings.cache.written} expected={cache.expectedWrite} actual={call?.usage.cacheWriteTokens} />
            <Row name={strings.cache.input} expected={promptTokens} actual={call?.usage.inputTokens} />
            <Row name={strings.cache.output} actual={call?.usage.outputTokens} />
            <tr className="border-t border-line">
              <th scope="row" className="pt-2 text-start font-semibold">
                {strings.cache.cost}
              </th>
              <td className="pt-2 text-end">{toPrice(cache.expectedUsd)}</td>
              <td className="pt-2 text-end font-semibold">{call ? toPrice(call.costUsd) : "–"}</td>
            </tr>
          </tbody>
        </table>
        {call?.usage.estimated && <p className="mt-1 text-xs text-soft">{strings.cache.estimated}</p>}
      </section>
      <section aria-label={strings.checks.title} className="grid gap-2">
        <h3 className="text-sm font-semibold">{strings.checks.title}</h3>
        <ul className="grid gap-1.5 text-sm">
          {receipt.checks.map(({ name, ok }) => (
            <li key={name} className="flex items-center gap-2">
              {ok ? (
                <Check aria-label={strings.checks.passed} className="size-4 flex-none text-good" />
              ) : (
                <X aria-label={strings.checks.failed} className="size-4 flex-none text-danger" />
              )}
              {toCheck(name)}
            </li>
          ))}
        </ul>
        <Proof details={details} />
      </section>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs text-soft">
        <Fact name={strings.facts.model}>{receipt.model}</Fact>
        <Fact name={strings.facts.policy}>{policyWords[receipt.policy]?.name ?? receipt.policy}</Fact>
        <Fact name={strings.facts.tokenizer}>{receipt.tokenizer}</Fact>
        {receipt.budget.tokenRatio && (
          <Fact name={strings.facts.ratio}>{describeRatio(receipt.budget.tokenRatio)}</Fact>
        )}
        {receipt.sampling?.temperature !== undefined && (
          <Fact name={strings.facts.temperature}>{receipt.sampling.temperature}</Fact>
        )}
        {receipt.sampling?.topP !== undefined && <Fact name={strings.facts.topP}>{receipt.sampling.topP}</Fact>}
        <Fact name={strings.facts.stable}>{strings.facts.bytes(groupDigits(receipt.stable.bytes))}</Fact>
      </dl>
    </div>
  );
};

type RowProps = { readonly name: string; readonly expected?: number; readonly actual?: number | undefined };

const Row = ({ name, expected, actual }: RowProps) => (
  <tr>
    <th scope="row" className="py-1 text-start font-normal">
      {name}
    </th>
    <td className="py-1 text-end">{expected === undefined ? "–" : groupDigits(expected)}</td>
    <td className="py-1 text-end">{actual === undefined ? "–" : groupDigits(actual)}</td>
  </tr>
);

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd className="min-w-0 wrap-anywhere text-ink">{children}</dd>
  </>
);

const describeRatio = ({ ratio, calls }: NonNullable<Receipt["budget"]["tokenRatio"]>): string =>
  strings.facts.ratioOf(ratio.toFixed(2), calls);

const toPrice = (usd: number | null): string => (usd === 0 ? strings.cache.free : toDollars(usd));

/** Whether the request was rebuilt from stored data with the same hash. */
const Proof = ({ details: { verified, receipt, isPreview } }: { readonly details: ReceiptDetails }) => {
  const { requestHash, reported } = receipt;
  const proof = verified === true && reported ? strings.proof.partlyRead : strings.proof[`${verified}`];
  return (
    <p
      className={`flex flex-wrap items-center gap-x-2 rounded-xl px-3 py-1.5 text-sm ${verified === false ? "bg-danger-wash" : "bg-raised"}`}
    >
      {verified === true && !reported && <BadgeCheck aria-hidden="true" className="size-4 flex-none text-good" />}
      {(verified === false || reported) && <CircleAlert aria-hidden="true" className="size-4 flex-none text-danger" />}
      <span>{isPreview ? strings.proof.preview : proof}</span>
      <span className="ms-auto inline-flex items-center text-xs text-soft" title={strings.proof.hash(requestHash)}>
        <span className="font-mono">{requestHash.slice(0, 12)}</span>
        <CopyButton text={requestHash} label={strings.proof.copyHash} className="size-7" />
      </span>
    </p>
  );
};
