/**
 * Work that is measured, for metrics and traces: ids, names and numbers. Texts are functions, which are only called if the operator
 * wants contents in traces, and never in temporary threads.
 */
export type Work =
  | {
      readonly kind: "run";
      readonly runId: string;
      readonly threadId: string;
      readonly profile: string;
      /** From the user's action to its claim; null for a run that is continued. */
      readonly waitedMs: number | null;
    }
  | {
      readonly kind: "model";
      readonly runId: string;
      readonly threadId: string;
      readonly provider: string;
      readonly model: string;
      readonly isTemporary: boolean;
      readonly input: () => string;
    }
  | {
      readonly kind: "tool";
      readonly runId: string;
      readonly name: string;
      readonly callId: string;
      readonly isTemporary: boolean;
      readonly input: () => string;
    }
  | { readonly kind: "commit"; readonly runId: string };

export type WorkEnd = {
  /** Such as `ok`, or the code of a failure. */
  readonly outcome: string;
  readonly isFailure: boolean;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  readonly output?: () => string;
};

/** Called at the start of the work. The returned function is called once, at its end. */
export type Observe = (work: Work) => (end: WorkEnd) => void;

export const observeNothing: Observe = () => () => {};

export const observeWithAll =
  (all: readonly Observe[]): Observe =>
  (work) => {
    const ends = all.map((observe) => observe(work));
    return (end) => {
      for (const finish of ends) finish(end);
    };
  };
