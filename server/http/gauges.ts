import type { Jobs } from "../jobs/jobs.ts";
import type { Log } from "../log/log.ts";
import type { createAgentStates } from "../memory/agent-state.ts";
import type { Runner } from "../run/runner.ts";
import type { Summaries } from "../summary/summary.ts";
import type { Gauges } from "./metrics.ts";

type AgentStates = ReturnType<typeof createAgentStates>;
type PromptCounts = { readonly prompts: number; readonly prefixBreaks: number; readonly compactions: number };

type GaugeSources = {
  readonly log: Pick<Log, "stats">;
  readonly states: Pick<AgentStates, "stats">;
  readonly summaries: Pick<Summaries, "stats">;
  readonly runner: Pick<Runner, "stats">;
  readonly counts: PromptCounts;
  readonly jobs: Pick<Jobs, "stats">;
  readonly telemetry: { readonly stats: () => { readonly dropped: number } } | null;
  readonly backups: { readonly overdueMs: () => number } | null;
};

/** Gauges of this process. */
export const listGauges = ({ log, runner, counts, jobs, states, summaries, ...sources }: GaugeSources): Gauges => ({
  log_flushes: { help: "Transactions of the log", read: () => log.stats().flushes },
  log_batches: { help: "Batches in these transactions", read: () => log.stats().batches },
  log_commit_ms: { help: "Duration of a commit, smoothed", read: () => log.stats().commitMs },
  log_readers: { help: "Readers of streams", read: () => log.stats().readers },
  runs_driving: { help: "Threads driven by this process", read: () => runner.stats().driving },
  runs_failed: { help: "Drives that ended with a bug or an outage", read: () => runner.stats().failed },
  prompts: { help: "Prompts of model calls", read: () => counts.prompts },
  prompt_prefix_breaks: {
    help: "Prompts whose prefix differs from the previous prompt without a reason",
    read: () => counts.prefixBreaks,
  },
  prompt_epochs: { help: "Compactions", read: () => counts.compactions },
  jobs_waiting: { help: "Waiting jobs, as of the last sweep", read: () => jobs.stats().waiting },
  jobs_running: { help: "Jobs running in this process", read: () => jobs.stats().running },
  jobs_failed: { help: "Jobs that failed for good", read: () => jobs.stats().failed },
  state_reconciled: { help: "Work states brought up to date", read: () => states.stats().reconciled },
  state_failures: { help: "Work state updates that failed", read: () => states.stats().failures },
  summaries_completed: { help: "Summaries written by a model", read: () => summaries.stats().completed },
  summaries_partial: { help: "Summaries made without a model", read: () => summaries.stats().partial },
  summaries_failed: { help: "Summaries that failed", read: () => summaries.stats().failed },
  telemetry_dropped: {
    help: "Spans that were dropped because the queue was full",
    read: () => sources.telemetry?.stats().dropped ?? 0,
  },
  backup_overdue_seconds: {
    help: "How long a scheduled backup has been due. Use the smallest value of all nodes",
    read: () => (sources.backups?.overdueMs() ?? 0) / 1000,
  },
  streams_open: { help: "Open event streams", read: (streams) => streams.open },
  streams_cut: { help: "Streams closed because the client stopped reading", read: (streams) => streams.cut },
});
