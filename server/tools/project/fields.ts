import { z } from "zod";
import { kindNames, projectLimits } from "../../../protocol/project/kinds.ts";
import { Instructions, ProjectName } from "../../../protocol/project/project.ts";
import { toMoment } from "./moments.ts";

/**
 * What project tools have in common. Schemas say as little as a model needs, for they stand in every prompt of a project;
 * lengths and the like are checked where an act is planned, and refused there in words.
 */
export const projectId = z.string().optional().describe("Default: the project of this thread");
export const Id = z.string();

const isDate = (text: string): boolean => toMoment(text, "start") !== undefined;
export const When = z.string().refine(isDate, "a date is written like 2026-11-20 or 2026-11-20T09:30Z");

/** A project is one too, as far as lists and what is new go. */
export const AnyKind = z.enum(["project", ...kindNames]);

export const PROJECT = "project";

type Scope = { readonly projectId: string | null };
type Given = Readonly<Record<string, unknown>>;

/** The thread's own project, where none is named. */
export const fillProject = (input: Given, { projectId: own }: Scope): Given =>
  isBlank(input["project_id"]) && own !== null ? { ...input, project_id: own } : input;

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === "";

/** Calls that write to one project run one after the other. */
export const touchProject = ({ project_id: id }: { readonly project_id?: string | undefined }): readonly string[] => [
  `project:${id ?? ""}`,
];

/** Of a call that names another project than the thread's own, by its id or name. */
export const askOtherProject = (
  { project_id: id }: { readonly project_id?: string | undefined },
  { projectId: own }: Scope,
): string | undefined =>
  id === undefined || id === own
    ? undefined
    : `It writes to another project than this thread's own: ${id.slice(0, 200)}.`;

/** Much at once is shown to the person before it is written. */
export const askBulk = (count: number): string | undefined =>
  count > projectLimits.bulk ? `It writes ${count} things at once.` : undefined;

const { titleCharacters } = projectLimits;
const schemas = { name: ProjectName, instructions: Instructions, description: z.string().max(titleCharacters * 4) };

/** As strict with a model as with anybody else. */
export function checkProject<Field extends keyof typeof schemas>(field: Field, text: string): string {
  const checked = schemas[field].safeParse(text);
  if (checked.success) return checked.data;
  throw new Error(`The project's ${field}: ${checked.error.issues.map(({ message }) => message).join("; ")}.`);
}
