import type { Workspaces } from "../../workspace/workspace.ts";
import type { Handlers } from "../route-types.ts";

type WorkspaceRoute = "listFiles" | "getFile" | "writeFiles" | "restoreFiles";

/** Every file is authorised through the project it belongs to. */
export const createWorkspaceHandlers = (workspaces: Workspaces): Pick<Handlers, WorkspaceRoute> => ({
  listFiles: ({ principal, params, query }) => workspaces.list(principal.userId, params.projectId, query.at),
  getFile: ({ principal, params, query }) => workspaces.get(principal.userId, params.projectId, query.path, query.at),
  writeFiles: ({ principal, params, body }) => workspaces.write(principal.userId, params.projectId, body),
  restoreFiles: ({ principal, params, body }) => workspaces.restore(principal.userId, params.projectId, body),
});
