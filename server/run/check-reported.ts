import type { Receipt } from "../../protocol/context/receipt.ts";
import { toNotice } from "./step/notice.ts";
import type { StepOutput } from "./step/commit-step.ts";
import type { Outcome } from "./step/outcome.ts";
import type { RunContext } from "./running.ts";
import type { RunState } from "./state.ts";
import { isTruncated, toRatio, type SentTokens } from "./reported-tokens.ts";

type ReportCheck = { readonly state: RunState; readonly outcome: Outcome; readonly sent: SentTokens };

/**
 * Compares the provider's token count with the receipt. A contradiction is recorded in the receipt, shown in the answer, and
 * lowers the window that later prompts are built for.
 */
export async function checkReported(run: RunContext, { state, outcome, sent }: ReportCheck): Promise<StepOutput> {
  if (!outcome.ok) return NOTHING;
  const { model } = state.view;
  const { learnedWindows } = run;
  const { usage } = outcome;
  const known = learnedWindows.reportsOf(model);
  const isContradicted = isTruncated(sent, usage, known);
  learnedWindows.noteReport(model, {
    ratio: isContradicted ? known.ratio : toRatio(sent, usage, known.ratio),
    last: usage.estimated ? known.last : { sentTokens: sent.tokens, inputTokens: usage.inputTokens },
  });
  if (!isContradicted) return NOTHING;
  const { window, write } = learnedWindows.learn(model, usage.inputTokens);
  const row = await run.store.read.receipt(sent.receiptId);
  if (!row) return NOTHING;
  const receipt = JSON.parse(row.body) as Receipt;
  const contradicted: Receipt = {
    ...receipt,
    checks: [...receipt.checks, { name: "reported-tokens", ok: false }],
    reported: { inputTokens: usage.inputTokens, sentTokens: sent.tokens, window },
  };
  const [reported, sentText, windowText] = [usage.inputTokens, sent.tokens, window.tokens].map(toDigits);
  const text =
    `The model server reports ${reported} input tokens, but about ${sentText} were sent. It probably dropped the oldest part of ` +
    `the conversation. Give the server a larger context window (in Ollama: num_ctx). For the next 24 hours Stonechat sends ` +
    `this model at most ${windowText} tokens.`;
  return {
    parts: [toNotice(state, { code: "prompt-truncated", text })],
    writes: [
      { do: "update", table: "receipts", set: { body: JSON.stringify(contradicted) }, where: { id: row.id } },
      write,
    ],
  };
}

const NOTHING: StepOutput = { parts: [], writes: [] };

const toDigits = (tokens: number): string => tokens.toLocaleString("en-US");
