/** What we promise ourselves. Figures without a target are printed for comparison. */
export const targets: Readonly<Record<string, { readonly atLeast: number } | { readonly atMost: number }>> = {
  "stream.cpu.vs-ai-sdk": { atLeast: 3 },
  "stream.cpu.vs-ai-sdk.paced": { atLeast: 4 },
  "stream.held.vs-ai-sdk": { atLeast: 3 },
  "stream.p99.vs-bare.500": { atMost: 5 },
  "stream.p99.vs-bare.1000": { atMost: 5 },
  "stream.memory-kb": { atMost: 70 },
  "first-token.added.p99-ms": { atMost: 5 },
  "turn.100k-vs-100": { atMost: 1.2 },
  "digest.p99-ms": { atMost: 20 },
  "digest.p99-ms.postgres": { atMost: 20 },
  "web.longest-task-ms": { atMost: 100 },
  "start.seconds": { atMost: 2 },
};
