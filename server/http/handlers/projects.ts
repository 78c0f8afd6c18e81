import type { Projects } from "../../project/project.ts";
import type { ProjectMembers } from "../../project/members.ts";
import type { Handlers } from "../route-types.ts";

type ProjectRoute =
  | "listProjects"
  | "createProject"
  | "getProject"
  | "changeProject"
  | "deleteProject"
  | "listEntities"
  | "getEntity"
  | "getGraph"
  | "act"
  | "listActs"
  | "getAct"
  | "undoAct"
  | "undoRun"
  | "listMembers"
  | "addMember"
  | "changeMember"
  | "removeMember"
  | "setProjectGroup"
  | "removeProjectGroup"
  | "transferProject";

/** Every id is authorized through the project it belongs to. */
export const createProjectHandlers = (projects: Projects, members: ProjectMembers): Pick<Handlers, ProjectRoute> => ({
  listMembers: ({ principal, params }) => members.list(principal, params.projectId),
  addMember: ({ principal, params, body }) => members.add(principal, params.projectId, body),
  changeMember: ({ principal, params, body }) =>
    members.changeRole(principal, params.projectId, params.userId, body.role),
  removeMember: ({ principal, params }) => members.remove(principal, params.projectId, params.userId),
  setProjectGroup: ({ principal, params, body }) =>
    members.setGroup(principal, params.projectId, params.groupId, body.role),
  removeProjectGroup: ({ principal, params }) => members.removeGroup(principal, params.projectId, params.groupId),
  transferProject: ({ principal, params, body }) => members.transfer(principal, params.projectId, body.userId),
  listProjects: ({ principal, query }) => projects.list(principal, query),
  createProject: ({ principal, body }) => projects.create(principal, body),
  getProject: ({ principal, params }) => projects.open(principal, params.projectId),
  changeProject: ({ principal, params, body }) => projects.change(principal, params.projectId, body),
  deleteProject: ({ principal, params }) => projects.remove(principal, params.projectId),
  listEntities: ({ principal, params, query }) => projects.listEntities(principal, params.projectId, query),
  getEntity: ({ principal, params }) => projects.openEntity(principal, params.projectId, params.entityId),
  getGraph: ({ principal, params, query }) => projects.graph(principal, params.projectId, query),
  act: ({ principal, params, body }) => projects.act(principal, params.projectId, body),
  listActs: ({ principal, params, query }) => projects.listActs(principal, params.projectId, query),
  getAct: ({ principal, params }) => projects.getAct(principal, params.projectId, params.actId),
  undoAct: ({ principal, params, body }) => projects.undoAct(principal, params.projectId, params.actId, body.id),
  undoRun: ({ principal, params, body }) => projects.undoRun(principal, params.projectId, params.runId, body.id),
});
