import { z } from "zod";
import { ClientId } from "../ids.ts";
import { Act } from "../project/project.ts";
import { workspaceLimits } from "./limits.ts";
import { FileLine, FileOp, FilePath, FileText, logKinds, PreviewLog, StoredLog } from "./workspace.ts";

const none = z.object({});
const project = z.object({ projectId: ClientId });
const Seq = z.coerce.number().int().min(0);

export const workspaceApi = {
  listFiles: {
    summary: "Files of a project, current or at a seq",
    params: project,
    query: z.object({ at: Seq.optional() }),
    body: null,
    status: 200,
    response: z.object({ seq: z.number(), files: z.array(FileLine) }),
  },
  getFile: {
    summary: "One file, current or at a seq",
    params: project,
    query: z.object({ path: FilePath, at: Seq.optional() }),
    body: null,
    status: 200,
    response: FileText,
  },
  writeFiles: {
    summary: "Write, rename or delete files atomically. Refused if a file has changed since you read it",
    params: project,
    query: none,
    body: z.object({ id: ClientId, ops: z.array(FileOp).min(1).max(workspaceLimits.opsPerAct) }).strict(),
    status: 200,
    response: z.object({ act: Act, files: z.array(FileLine) }),
  },
  restoreFiles: {
    summary: "Restore all files to a seq, as an act that can be undone",
    params: project,
    query: none,
    body: z.object({ id: ClientId, seq: z.number().int().min(0) }).strict(),
    status: 200,
    response: z.object({ act: Act }),
  },
  openPreview: {
    summary: "A temporary URL that runs the workspace in a separate origin without access to this one",
    params: project,
    query: none,
    body: none,
    status: 200,
    response: z.object({ url: z.string(), expiresAt: z.number() }),
  },
  listLogs: {
    summary: "Preview logs, newest last",
    params: project,
    query: z.object({
      kind: z.enum(logKinds).optional(),
      q: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(workspaceLimits.logs).default(100),
    }),
    body: null,
    status: 200,
    response: z.object({ logs: z.array(StoredLog) }),
  },
  reportLogs: {
    summary: "Report preview logs from the user's browser",
    params: project,
    query: none,
    body: z.object({ seq: z.number().int().min(0), logs: z.array(PreviewLog).max(100), loaded: z.boolean() }).strict(),
    status: 200,
    response: z.object({ kept: z.number() }),
  },
} as const;
