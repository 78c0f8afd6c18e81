import { createHash } from "node:crypto";
import { findProjectAccess } from "../../auth/access.ts";
import type { Reads } from "../../store/contract.ts";

type PreviewFile = { readonly path: string; readonly hash: string; readonly bytes: number };
type Content = { readonly bytes: Uint8Array<ArrayBuffer>; readonly isText: boolean };

/** The files of a workspace at one moment. Contents are read on demand. */
export type Files = {
  readonly project: string;
  /** The project's seq when the files were listed. */
  readonly seq: number;
  readonly has: (path: string) => boolean;
  readonly paths: readonly string[];
  readonly read: (path: string) => Promise<Content | undefined>;
  /** Hash over all files. */
  readonly hash: string;
};

const KEPT_BYTES = 32_000_000;

/** Caches recent contents, which are immutable by hash. */
export function createFileReader(read: Pick<Reads, "together" | "blob">) {
  const kept = new Map<string, Content>();
  let size = 0;

  const load = async (project: string, { hash }: PreviewFile): Promise<Content | undefined> => {
    const key = `${project} ${hash}`;
    const known = kept.get(key);
    if (known) return known;
    const row = await read.blob(project, hash);
    if (!row) return undefined;
    const bytes = Uint8Array.from(Buffer.from(row.body, row.encoding === "text" ? "utf8" : "base64"));
    const content = { bytes, isText: row.encoding === "text" };
    if (size + bytes.length > KEPT_BYTES) {
      kept.clear();
      size = 0;
    }
    kept.set(key, content);
    size += bytes.length;
    return content;
  };

  return {
    /** undefined: no such project of this user. */
    list: async (project: string, user: string): Promise<Files | undefined> => {
      const found = await read.together(async (reads) => ({
        access: await findProjectAccess(reads, user, await reads.project(project)),
        rows: await reads.files(project),
      }));
      if (!found.access?.role) return undefined;
      const byPath = new Map(found.rows.map((row) => [row.path, row]));
      return {
        project,
        seq: found.access.row.seq,
        has: (path) => byPath.has(path),
        paths: [...byPath.keys()],
        read: async (path) => {
          const file = byPath.get(path);
          return file && load(project, file);
        },
        hash: toHash(found.rows),
      };
    },
  };
}

const toHash = (rows: readonly PreviewFile[]): string =>
  createHash("sha256")
    .update(rows.map(({ path, hash }) => `${path}\0${hash}\n`).join(""))
    .digest("hex");
