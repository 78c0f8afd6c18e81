type Target = ({ readonly atLeast: number } | { readonly atMost: number }) & {
  /** A better value that we work towards. It does not decide whether the target is met. */
  readonly aim?: number;
};

/** Our targets. Figures without a target are printed for comparison. */
export const targets: Readonly<Record<string, Target>> = {
  "stream.cpu.vs-ai-sdk": { atLeast: 3, aim: 4 },
  "stream.cpu.vs-ai-sdk.paced": { atLeast: 4, aim: 5 },
  "stream.held.vs-ai-sdk": { atLeast: 3.5, aim: 5 },
  "ai-sdk.held.vs-plain": { atLeast: 3 },
  "stream.p99.added-ms.500": { atMost: 5, aim: 2.5 },
  "stream.p99.added-ms.1000": { atMost: 5, aim: 2.5 },
  "stream.p99.vs-bare.500": { atMost: 5 },
  "stream.p99.vs-bare.1000": { atMost: 5 },
  "stream.memory-kb": { atMost: 50 },
  "first-token.added.p50-ms": { atMost: 2.5 },
  "first-token.added.p99-ms": { atMost: 5 },
  "first-token.added.p99-ms.postgres": { atMost: 15 },
  "turn.100k-vs-100": { atMost: 1.05 },
  "digest.p99-ms": { atMost: 20 },
  "digest.p99-ms.postgres": { atMost: 20 },
  "web.longest-task-ms": { atMost: 100 },
  "page.js-kb": { atMost: 200 },
  "page.open-50k-ms": { atMost: 300 },
  "page.scroll-50k.longest-task-ms": { atMost: 50 },
  "page.frame.p95-ms": { atMost: 16 },
  "page.memory.mb-per-minute": { atMost: 0.1 },
  "start.seconds": { atMost: 2 },
};
