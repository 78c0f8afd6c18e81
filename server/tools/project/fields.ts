import { z } from "zod";
import { kindNames, projectLimits } from "../../../protocol/project/kinds.ts";
import { Instructions, ProjectName } from "../../../protocol/project/project.ts";
import { say, sentence, type Text } from "../../../protocol/sentences.ts";
import { parseMoment } from "./moments.ts";

/**
 * Shared by the project tools. Schemas are minimal, because they are part of every prompt of a project; lengths and other limits
 * are checked when an act is planned, with an error message.
 */
export const projectId = z.string().optional().describe("Default: the project of this thread");
export const Id = z.string();

const isDate = (text: string): boolean => parseMoment(text, "start") !== undefined;
export const When = z.string().refine(isDate, "a date is written like 2026-11-20 or 2026-11-20T09:30Z");

/** Lists and creation also accept the project itself. */
export const AnyKind = z.enum(["project", ...kindNames]);

export const PROJECT = "project";

type Scope = { readonly projectId: string | null };
type RawInput = Readonly<Record<string, unknown>>;

/** Fills in the thread's project if none is given. */
export const fillProject = (input: RawInput, { projectId: own }: Scope): RawInput =>
  isBlank(input["project_id"]) && own !== null ? { ...input, project_id: own } : input;

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === "";

/** Calls that write to one project run one after the other. */
export const touchProject = ({ project_id: id }: { readonly project_id?: string | undefined }): readonly string[] => [
  `project:${id ?? ""}`,
];

/** The approval reason for a call that names a project other than the thread's, by id or name. */
export const askOtherProject = (
  { project_id: id }: { readonly project_id?: string | undefined },
  { projectId: own }: Scope,
): Text | undefined =>
  id === undefined || id === own ? undefined : say(sentence("asks-other-project", id.slice(0, 200)));

/** Large writes are shown to the user for approval. */
export const askBulk = (count: number): Text | undefined =>
  count > projectLimits.bulk ? say(sentence("asks-bulk", count)) : undefined;

const { titleCharacters } = projectLimits;
const schemas = { name: ProjectName, instructions: Instructions, description: z.string().max(titleCharacters * 4) };

/** The same limits as in the API. */
export function checkProject<Field extends keyof typeof schemas>(field: Field, text: string): string {
  const checked = schemas[field].safeParse(text);
  if (checked.success) return checked.data;
  throw new Error(`The project's ${field}: ${checked.error.issues.map(({ message }) => message).join("; ")}.`);
}
