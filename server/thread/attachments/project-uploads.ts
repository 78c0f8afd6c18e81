import { readFile } from "node:fs/promises";
import { ApiError } from "../../../protocol/errors.ts";
import { fileSource } from "../../../protocol/context/untrusted.ts";
import { projectLimits } from "../../../protocol/project/kinds.ts";
import type { EntityOp } from "../../../protocol/project/project.ts";
import type { ProjectUpload, ProjectUploadTarget } from "../../../protocol/project/uploads.ts";
import { workspaceLimits } from "../../../protocol/workspace/limits.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Projects } from "../../project/project.ts";
import type { Workspaces } from "../../workspace/workspace.ts";
import { describeFile } from "./describe-file.ts";
import { readImage } from "./image-size.ts";
import { toName } from "./to-name.ts";

/**
 * Files that the user adds to a project, as acts that can be undone. Their text is untrusted: the act and the project carry the
 * file as a source.
 */
export type ProjectUploads = ReturnType<typeof createProjectUploads>;

type Options = {
  readonly projects: Pick<Projects, "get" | "act">;
  readonly workspaces: Pick<Workspaces, "list" | "write">;
  readonly ids: Ids;
};
type Upload = {
  readonly projectId: string;
  readonly name: string;
  readonly as: ProjectUploadTarget;
  readonly file: { readonly path: string; readonly sizeBytes: number };
};

export function createProjectUploads({ projects, workspaces, ids }: Options) {
  const addDocument = async (principal: Principal, { projectId, name, file }: Upload): Promise<ProjectUpload> => {
    const { kind, text } = await describeFile({ ...file, name });
    if (kind === "image")
      throw new ApiError(
        "unsupported",
        `${name} is a picture, which has no text. Attach it to a message, or add it under Files.`,
      );
    const ops = toDocuments(name, text, ids);
    await projects.act(principal, projectId, { id: ids.next(), ops }, [fileSource(name)]);
    const [first] = ops;
    return { as: "document", id: first.id, name, parts: ops.length };
  };

  const addFile = async (principal: Principal, { projectId, name, file }: Upload): Promise<ProjectUpload> => {
    const most = workspaceLimits.fileBytes;
    if (file.sizeBytes > most)
      throw new ApiError(
        "too-large",
        `${name} has ${toNumber(file.sizeBytes)} bytes. A project file can have at most ${toNumber(most)}. Add it under Documents instead.`,
      );
    const bytes = await readFile(file.path);
    const image = readImage(bytes);
    if (!isText(bytes) && (image === undefined || image === "broken"))
      throw new ApiError(
        "unsupported",
        `${name} is not a text file. Add it under Documents: its text is stored there.`,
      );
    for (let tries = 0; ; tries += 1) {
      const { files } = await workspaces.list(principal.userId, projectId);
      const path = toFreePath(name, new Set(files.map((one) => one.path.toLowerCase())));
      const op = { do: "write", path, was: null, base64: bytes.toString("base64") } as const;
      try {
        await workspaces.write(principal.userId, projectId, { id: ids.next(), ops: [op] }, [fileSource(name)]);
        return { as: "file", id: path, name, parts: 1 };
      } catch (error) {
        // Another upload took the path.
        if (!(error instanceof ApiError && error.code === "conflict") || tries === MOST_TRIES) throw error;
      }
    }
  };

  return {
    /** Called before an upload, so that its body is not read in vain. */
    assertProject: async (principal: Principal, projectId: string): Promise<void> =>
      void (await projects.get(principal, projectId)),

    /** `file` may be deleted when this has settled. */
    add: async (principal: Principal, given: Upload): Promise<ProjectUpload> => {
      const upload = { ...given, name: toName(given.name) };
      if (upload.file.sizeBytes === 0) throw new ApiError("invalid", `${upload.name} is empty.`);
      return upload.as === "file" ? addFile(principal, upload) : addDocument(principal, upload);
    },
  };
}

const MOST_TRIES = 5;
const toNumber = (value: number): string => value.toLocaleString("en");

type Create = Extract<EntityOp, { do: "create" }>;

/** A text over the limit of a document continues in documents below the first. */
function toDocuments(name: string, text: string, ids: Ids): [Create, ...Create[]] {
  const [body, ...rest] = splitText(text, projectLimits.bodyCharacters);
  const shared = { do: "create", kind: "document", state: "current" } as const;
  const first: Create = { ...shared, id: ids.next(), title: name, body, parentId: null };
  const further = rest.map((part, index): Create => ({
    ...shared,
    id: ids.next(),
    title: `${name}, part ${index + 2}`,
    body: part,
    parentId: first.id,
  }));
  return [first, ...further];
}

/** Splits at paragraphs or lines where possible. Joined, the pieces are the text. */
export function splitText(text: string, most: number): [string, ...string[]] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > most) {
    const window = rest.slice(0, most);
    const breaks = [window.lastIndexOf("\n\n") + 2, window.lastIndexOf("\n") + 1];
    const at = breaks.find((end) => end > most / 2) ?? (isHighSurrogate(window) ? most - 1 : most);
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  const [first, ...further] = pieces;
  return first === undefined ? [rest] : [first, ...further, rest];
}

const isHighSurrogate = (text: string): boolean => /[\ud800-\udbff]$/.test(text);

function isText(bytes: Buffer): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** `plan.md`, then `plan-2.md`, so that no file is overwritten. Names differ in more than case. */
function toFreePath(name: string, taken: ReadonlySet<string>): string {
  const ending = /(?<=.)\.\w{1,10}$/.exec(name)?.[0] ?? "";
  const stem = name.slice(0, name.length - ending.length);
  for (let n = 1; ; n += 1) {
    const path = n === 1 ? name : `${stem}-${n}${ending}`;
    if (!taken.has(path.toLowerCase())) return path;
  }
}
