import type { Action } from "../auth/authorize.ts";
import { toSession, type Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import { getProjectRow } from "../project/project.ts";
import { createRedactor } from "../redact/redact.ts";
import type { Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { createBuilds } from "./preview/builds.ts";
import { createFileReader } from "./preview/files.ts";
import { createPreviewLogs, type Report } from "./preview/logs.ts";
import { toOuter, toNotice } from "./preview/words.ts";
import { previewHeaders, toOuterPolicy, toPolicy, wordsPolicy } from "./preview/policy.ts";
import { serveFile, type ServedFile } from "./preview/serve-file.ts";
import { createTokens } from "./preview/token.ts";

export { readReports, type ReportQuestion } from "./preview/read-reports.ts";

/**
 * The preview: serves a workspace under an address with a token, as a page that runs in the user's browser in an opaque origin.
 * Files are compiled but never run on the server. The surrounding page forwards reports of the preview to the API.
 */
export type Previews = ReturnType<typeof createPreviews>;

type PreviewRequest = {
  readonly token: string;
  /** Path in the workspace, decoded. */
  readonly path: string;
  /** The `Host` header. */
  readonly host: string;
  /** The `Sec-Fetch-Dest` header. */
  readonly destination: string | undefined;
  /** Returns those of these sessions and keys, by hash, that have ended. A preview ends with the one that opened it. */
  readonly findEnded: (hashes: readonly string[]) => Promise<readonly string[]>;
};

export type PreviewReply = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array<ArrayBuffer>;
};

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Log;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The server's own keys, redacted from logs. Read each time, because they can change at runtime. */
  readonly known: () => readonly { readonly name: string; readonly value: string }[];
  /** The server's public address, if it is behind a proxy. */
  readonly publicUrl: string;
};

export function createPreviews({ store: { read }, log, seal, clock, ids, known, publicUrl }: Options) {
  const tokens = createTokens({ seal, clock });
  const files = createFileReader(read);
  const builds = createBuilds();
  const redactorOf = (projectId: string) =>
    createRedactor({ known: known(), salt: seal.derive(`redact project ${projectId}`) });
  const logs = createPreviewLogs({ read, log, clock, ids, redactorOf });

  const getProject = (principal: Principal, projectId: string, action: Action): Promise<RowOf<"projects">> =>
    getProjectRow(read, principal.userId, projectId, action);

  return {
    open: async (principal: Principal, projectId: string) => {
      const { id } = await getProject(principal, projectId, "read");
      const { token, expiresAt } = tokens.mint(id, { user: principal.userId, session: toSession(principal) });
      return { url: `/preview/${token}/`, expiresAt };
    },

    serve: async ({ token, path, host, destination, findEnded }: PreviewRequest): Promise<PreviewReply> => {
      const pass = tokens.open(token);
      if (pass === "expired") return toReply(ended, wordsPolicy);
      const isEnded = pass !== "unknown" && pass.session !== undefined && (await findEnded([pass.session])).length > 0;
      const isRefused = pass === "unknown" || isEnded || (await read.isSuspended(pass.user));
      const listed = isRefused ? undefined : await files.list(pass.project, pass.user);
      if (!listed) return toReply(unknown, wordsPolicy);
      const root = `/preview/${token}/`;
      const address = { root, hosts: [...new Set([host, publicUrl])] };
      if (destination === "document") {
        const outer = toOuter(root + path.split("/").map(encodeURIComponent).join("/"));
        return toReply({ status: 200, type: html, body: outer }, toOuterPolicy(address));
      }
      const served = await serveFile({ files: listed, builds, path, root });
      return toReply(served, served.isWords ? wordsPolicy : toPolicy(address));
    },

    report: async (principal: Principal, projectId: string, report: Report) => ({
      kept: await logs.report(await getProject(principal, projectId, "change"), report),
    }),

    list: async (principal: Principal, projectId: string, query: Parameters<typeof logs.list>[1]) => {
      const { id } = await getProject(principal, projectId, "read");
      return { logs: [...(await logs.list(id, query))] };
    },
  };
}

const html = "text/html; charset=utf-8";
const unknown: ServedFile = {
  status: 404,
  type: html,
  body: toNotice("Preview not found", "Open the preview from its project."),
};
const ended: ServedFile = {
  status: 410,
  type: html,
  body: toNotice(
    "This preview has expired",
    "Preview links expire after one hour. Open the preview again from its project.",
  ),
};

const toReply = ({ status, type, body }: ServedFile, policy: string): PreviewReply => ({
  status,
  headers: { ...previewHeaders, "content-security-policy": policy, "content-type": type },
  body,
});
