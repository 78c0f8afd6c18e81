import type { Previews } from "../../workspace/preview.ts";
import type { Handlers } from "../route-types.ts";

type PreviewRoute = "openPreview" | "listLogs" | "reportLogs";

/** What a preview reports is told by the page of the person who has it open. */
export const createPreviewHandlers = (previews: Previews): Pick<Handlers, PreviewRoute> => ({
  openPreview: ({ principal, params }) => previews.open(principal, params.projectId),
  listLogs: ({ principal, params, query }) => previews.list(principal, params.projectId, query),
  reportLogs: ({ principal, params, body }) => previews.report(principal, params.projectId, body),
});
