import { BadgeCheck, Check, CircleAlert, X } from "lucide-react";
import type { ReactNode } from "react";
import { policyWords, toBroken, toCheck } from "../labels/context.ts";
import { toDollars } from "../labels/cost.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { groupDigits } from "../lib/format.ts";
import type { ReceiptDetails } from "./receipt-details.ts";

/** Expected and actual use of the provider's cache, the cost, and whether the receipt was verified. */
export const CacheAndCost = ({ details }: { readonly details: ReceiptDetails }) => {
  const { receipt, call, cacheNote } = details;
  const { cache, promptTokens } = receipt;
  const percent = promptTokens === 0 ? 0 : Math.round((cache.shared / promptTokens) * 100);
  const broken = cacheNote ?? (cache.broke === null ? null : toBroken(cache.broke));
  return (
    <div className="grid gap-6">
      <section aria-label="Cache" className="grid gap-2">
        <h3 className="text-sm font-semibold">Cache</h3>
        <p className="text-sm text-pretty">
          <b className="font-semibold tabular-nums">{percent} %</b> of it stood in the call before, word for word:{" "}
          {groupDigits(cache.shared)} of {groupDigits(promptTokens)} tokens. The next call can begin with{" "}
          {groupDigits(cache.stable)}.
        </p>
        <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-press">
          <div className="h-full bg-good" style={{ width: `${percent}%` }} />
        </div>
        {broken !== null && (
          <p
            role="note"
            className={`rounded-xl px-3 py-2 text-sm text-pretty ${cache.broke === null ? "bg-raised" : "bg-warn-wash"}`}
          >
            {broken}
          </p>
        )}
      </section>
      <section aria-label="Expected and actual">
        <table className="w-full text-sm tabular-nums">
          <thead className="text-xs text-soft">
            <tr>
              <th scope="col" className="pb-1 text-start font-medium">
                Tokens
              </th>
              <th scope="col" className="pb-1 text-end font-medium">
                Expected
              </th>
              <th scope="col" className="pb-1 text-end font-medium">
                Actual
              </th>
            </tr>
          </thead>
          <tbody>
            <Row name="Read from the cache" expected={cache.expectedRead} actual={call?.usage.cacheReadTokens} />
            <Row name="Written to the cache" expected={cache.expectedWrite} actual={call?.usage.cacheWriteTokens} />
            <Row name="Given in all" expected={promptTokens} actual={call?.usage.inputTokens} />
            <Row name="Answered" actual={call?.usage.outputTokens} />
            <tr className="border-t border-line">
              <th scope="row" className="pt-2 text-start font-semibold">
                Cost
              </th>
              <td className="pt-2 text-end">{toPrice(cache.expectedUsd)}</td>
              <td className="pt-2 text-end font-semibold">{call ? toPrice(call.costUsd) : "–"}</td>
            </tr>
          </tbody>
        </table>
        {call?.usage.estimated && (
          <p className="mt-1 text-xs text-soft">The provider did not report its figures: these are counted here.</p>
        )}
      </section>
      <section aria-label="Checks" className="grid gap-2">
        <h3 className="text-sm font-semibold">Checks</h3>
        <ul className="grid gap-1.5 text-sm">
          {receipt.checks.map(({ name, ok }) => (
            <li key={name} className="flex items-center gap-2">
              {ok ? (
                <Check aria-label="Passed" className="size-4 flex-none text-good" />
              ) : (
                <X aria-label="Failed" className="size-4 flex-none text-danger" />
              )}
              {toCheck(name)}
            </li>
          ))}
        </ul>
        <Proof details={details} />
      </section>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs text-soft">
        <Fact name="Model">{receipt.model}</Fact>
        <Fact name="Policy">{policyWords[receipt.policy]?.name ?? receipt.policy}</Fact>
        <Fact name="Counted by">{receipt.tokenizer}</Fact>
        <Fact name="Stable part">{groupDigits(receipt.stable.bytes)} bytes</Fact>
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

const toPrice = (usd: number | null): string => (usd === 0 ? "free" : toDollars(usd));

/** Whether the request was rebuilt from stored data with the same hash. */
const Proof = ({ details: { verified, receipt, isPreview } }: { readonly details: ReceiptDetails }) => {
  const { requestHash, reported } = receipt;
  const proof = verified === true && reported ? PARTLY_READ : proofs[String(verified) as keyof typeof proofs];
  return (
    <p
      className={`flex flex-wrap items-center gap-x-2 rounded-xl px-3 py-1.5 text-sm ${verified === false ? "bg-danger-wash" : "bg-raised"}`}
    >
      {verified === true && !reported && <BadgeCheck aria-hidden="true" className="size-4 flex-none text-good" />}
      {(verified === false || reported) && <CircleAlert aria-hidden="true" className="size-4 flex-none text-danger" />}
      <span>{isPreview ? "Not sent: this is how it would be." : proof}</span>
      <span
        className="ms-auto inline-flex items-center text-xs text-soft"
        title={`SHA-256 of the request: ${requestHash}`}
      >
        <span className="font-mono">{requestHash.slice(0, 12)}</span>
        <CopyButton text={requestHash} label="Copy the request's SHA-256" className="size-7" />
      </span>
    </p>
  );
};

const PARTLY_READ = "Sent byte for byte as listed, but the model server did not read all of it";

const proofs = {
  true: "Rebuilt byte for byte",
  false: "Could not be rebuilt to the same bytes",
  null: "Being rebuilt…",
} as const;
