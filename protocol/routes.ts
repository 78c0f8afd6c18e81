/**
 * Every route of the API: method and path. No schema library here, so the page can carry it; the schemas of the same names
 * stand in `api.ts`, the handlers in `server/http/`, and a name missing in either does not compile.
 */
export const routes = {
  getMe: { method: "GET", path: "/api/me" },
  signIn: { method: "POST", path: "/api/sign-in" },
  signOut: { method: "POST", path: "/api/sign-out" },
  listModels: { method: "GET", path: "/api/models" },
  search: { method: "GET", path: "/api/search" },
  listThreads: { method: "GET", path: "/api/threads" },
  createThread: { method: "POST", path: "/api/threads" },
  getThread: { method: "GET", path: "/api/threads/:threadId" },
  changeThread: { method: "PATCH", path: "/api/threads/:threadId" },
  deleteThread: { method: "DELETE", path: "/api/threads/:threadId" },
  listMessages: { method: "GET", path: "/api/threads/:threadId/messages" },
  sendMessage: { method: "POST", path: "/api/threads/:threadId/messages" },
  editMessage: { method: "POST", path: "/api/threads/:threadId/messages/:messageId/edit" },
  regenerateMessage: { method: "POST", path: "/api/threads/:threadId/messages/:messageId/regenerate" },
  activateMessage: { method: "POST", path: "/api/threads/:threadId/messages/:messageId/activate" },
  stopRun: { method: "POST", path: "/api/threads/:threadId/stop" },
  decideCall: { method: "POST", path: "/api/threads/:threadId/decisions" },
  continueRun: { method: "POST", path: "/api/threads/:threadId/continue" },
  withdrawInput: { method: "DELETE", path: "/api/threads/:threadId/inputs/:inputId" },
  listRuns: { method: "GET", path: "/api/threads/:threadId/runs" },
  getRun: { method: "GET", path: "/api/threads/:threadId/runs/:runId" },
  getReceipt: { method: "GET", path: "/api/threads/:threadId/receipts/:receiptId" },
  getArtifact: { method: "GET", path: "/api/threads/:threadId/artifacts/:ref" },
  revealValue: { method: "POST", path: "/api/threads/:threadId/reveal" },
  listTools: { method: "GET", path: "/api/tools" },
  listServers: { method: "GET", path: "/api/mcp" },
  addServer: { method: "POST", path: "/api/mcp" },
  finishSignIn: { method: "GET", path: "/api/mcp/callback" },
  removeServer: { method: "DELETE", path: "/api/mcp/:server" },
  acceptTool: { method: "POST", path: "/api/mcp/:server/accept" },
  signInToServer: { method: "POST", path: "/api/mcp/:server/sign-in" },
  signOutOfServer: { method: "POST", path: "/api/mcp/:server/sign-out" },
  getMemory: { method: "GET", path: "/api/memory" },
  setMemory: { method: "POST", path: "/api/memory" },
  undoMemory: { method: "POST", path: "/api/memory/undo" },
  forgetMemory: { method: "POST", path: "/api/memory/forget" },
  exportMemory: { method: "GET", path: "/api/memory/export" },
  memoryOfThread: { method: "GET", path: "/api/threads/:threadId/memory" },
  getCosts: { method: "GET", path: "/api/costs" },
  getBudgets: { method: "GET", path: "/api/budgets" },
  setBudget: { method: "POST", path: "/api/budgets" },
} as const satisfies Record<string, { method: "GET" | "POST" | "PATCH" | "DELETE"; path: string }>;

export type RouteName = keyof typeof routes;

/** Server-sent events. `?after=SEQ` or `Last-Event-ID`; each event is `id: SEQ` and `data: LogEvent`. */
export const streams = {
  thread: "/api/threads/:threadId/stream",
  user: "/api/stream",
} as const;
