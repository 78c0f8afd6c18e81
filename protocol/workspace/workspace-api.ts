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
    summary: "The files of a project, now or as they were at a seq",
    params: project,
    query: z.object({ at: Seq.optional() }),
    body: null,
    status: 200,
    response: z.object({ seq: z.number(), files: z.array(FileLine) }),
  },
  getFile: {
    summary: "One file, now or as it was at a seq",
    params: project,
    query: z.object({ path: FilePath, at: Seq.optional() }),
    body: null,
    status: 200,
    response: FileText,
  },
  writeFiles: {
    summary: "Write, rename or delete files: all of it or nothing. Refused when one has changed since you saw it",
    params: project,
    query: none,
    body: z.object({ id: ClientId, ops: z.array(FileOp).min(1).max(workspaceLimits.opsPerAct) }).strict(),
    status: 200,
    response: z.object({ act: Act, files: z.array(FileLine) }),
  },
  restoreFiles: {
    summary: "Make all files what they were at a seq, as an act of its own, which can be taken back",
    params: project,
    query: none,
    body: z.object({ id: ClientId, seq: z.number().int().min(0) }).strict(),
    status: 200,
    response: z.object({ act: Act }),
  },
  openPreview: {
    summary: "An address under which the workspace runs, for a while, in an origin of its own without any rights here",
    params: project,
    query: none,
    body: none,
    status: 200,
    response: z.object({ url: z.string(), expiresAt: z.number() }),
  },
  listLogs: {
    summary: "What the preview reported, newest last",
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
    summary: "What the preview reports from the browser of the person",
    params: project,
    query: none,
    body: z.object({ seq: z.number().int().min(0), logs: z.array(PreviewLog).max(100), loaded: z.boolean() }).strict(),
    status: 200,
    response: z.object({ kept: z.number() }),
  },
} as const;
