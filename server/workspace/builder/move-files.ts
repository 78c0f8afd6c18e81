import type { FileOp } from "../../../protocol/workspace/workspace.ts";
import type { RowOf } from "../../store/schema.ts";
import { checkPath } from "../check-path.ts";
import { findProtection, toProtectedText } from "../protected.ts";
import { openPath, planCall, type BuilderCall, type FileSnapshot } from "./file-snapshot.ts";

const MAX_FILES = 500;

/** Deletes a file, or a folder with its contents if `folder` is set. */
export const planDelete = (call: BuilderCall, given: { readonly path: string; readonly folder: boolean }) =>
  planCall(call, { delete: given }, async (desk) => {
    const path = openPath(given.path);
    const files = given.folder && !desk.find(path) ? listInside(desk, path) : [desk.get(path)];
    return {
      ops: files.map((file): FileOp => ({ do: "delete", path: file.path, was: file.hash })),
      text: files.length === 1 ? `Deleted ${files[0]?.path}` : `Deleted ${path} with ${files.length} files`,
      output: { deleted: files.map((file) => file.path) },
    };
  });

/** Renames a file or a folder with its contents. References to the old path are not updated. */
export const planRename = (call: BuilderCall, given: { readonly from: string; readonly to: string }) =>
  planCall(call, { rename: given }, async (desk) => {
    const [from, to] = [openPath(given.from), openPath(given.to)];
    const file = desk.find(from);
    const files = file ? [file] : listInside(desk, from);
    if (!file && to.startsWith(`${from}/`)) throw new Error(`${from} cannot be moved into itself.`);
    const moved = files.map(({ path, hash }) => ({
      path,
      was: hash,
      to: checkPath(`${to}${path.slice(from.length)}`),
    }));
    return {
      ops: moved.map((one): FileOp => ({ do: "rename", ...one })),
      text: files.length === 1 ? `Renamed ${from} to ${to}` : `Renamed ${from} to ${to}, ${files.length} files`,
      output: { renamed: moved.map(({ path, to: next }) => ({ from: path, to: next })) },
    };
  });

function listInside(desk: FileSnapshot, folder: string): readonly RowOf<"files">[] {
  const files = desk.files.filter(({ path }) => path.startsWith(`${folder}/`));
  if (files.length === 0) return [desk.get(folder)];
  if (files.length > MAX_FILES)
    throw new Error(
      `${folder} has ${files.length} files. Tools change at most ${MAX_FILES} at once; ask the user to do it.`,
    );
  for (const { path } of files) {
    const protection = findProtection(path);
    if (protection !== undefined) throw new Error(toProtectedText(path, protection));
  }
  return files;
}
