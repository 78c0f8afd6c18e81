import type { RouteName } from "../../protocol/routes.ts";

/** Empty lists of a summary. */
export const noFields = { keyPoints: [], decisions: [], actionItems: [], openQuestions: [], toolResults: [] };

/** A body for each route with ids, which the route accepts. */
export const bodies: Partial<Record<RouteName, object>> = {
  renamePasskey: { name: "taken over" },
  fillServerPrompt: { name: "x", arguments: {} },
  changeThread: { id: "x-1", title: "taken over" },
  sendMessage: { id: "x-2", text: "let me in" },
  editMessage: { id: "x-3", text: "changed" },
  regenerateMessage: { id: "x-4" },
  activateMessage: { id: "x-5" },
  forkThread: { id: "x-fork" },
  stopRun: { id: "x-6" },
  decideCall: { id: "x-7", partId: "p", decision: "once" },
  continueRun: { id: "x-8" },
  retryRun: { id: "x-retry" },
  acceptTool: { tool: "t", hash: "h" },
  previewContext: { text: "let me look" },
  undoEpoch: { id: "x-9" },
  addPin: { id: "x-10", text: "pinned" },
  summarize: { id: "x-11" },
  editSummary: { id: "x-12", fields: { ...noFields, overview: "taken over" } },
  undoSummary: { id: "x-13" },
  revealValue: { placeholder: "[secret]" },
  changeProfile: { was: 1, name: "taken over" },
  changePrompt: { was: 1, name: "taken-over" },
  answerQuestion: { id: "x-8a", partId: "p", answers: null },
  setDraft: { text: "mine", at: 1 },
  markSeen: { at: 1 },
  markPresent: { tab: "x-tab", state: "open" },
  createShare: { id: "x-14" },
  copyShared: { id: "x-15" },
  reportLogs: { seq: 0, logs: [], loaded: true },
  writeFiles: { id: "x-15", ops: [{ do: "write", path: "taken.ts", was: null, text: "over" }] },
  restoreFiles: { id: "x-16", seq: 0 },
  changeProject: { id: "x-17", version: 1, name: "taken over" },
  act: { id: "x-18", ops: [{ do: "delete", id: "entity", version: 1 }] },
  addMember: { email: "nobody@example.com", role: "editor" },
  changeGroup: { name: "taken over" },
  setProjectGroup: { role: "viewer" },
  changeMember: { role: "viewer" },
  transferProject: { userId: "x-nobody" },
  undoAct: { id: "x-19" },
  undoRun: { id: "x-20" },
  decideImport: { line: 1, add: true },
};
export const queries: Partial<Record<RouteName, string>> = {
  listMessages: "?before=9",
  getFile: "?path=src/App.tsx",
  recallPassages: "?q=hello",
};
