/**
 * A key that is equal for all names that some file system treats as the same: case-folded and Unicode-normalized. It is
 * stricter than any file system: a false match only costs a new name, a missed one would overwrite a file.
 */
export const toKey = (path: string): string =>
  path.normalize("NFKD").toLowerCase().toUpperCase().normalize("NFKD").toUpperCase();

/** File and folder names in use, ignoring case and Unicode form. */
type Names = {
  /** Why a file cannot be created at this path; undefined if it can, or if it exists. */
  readonly findConflict: (path: string) => string | undefined;
  readonly add: (path: string) => void;
};

export function createNames(paths: Iterable<string>): Names {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  const add = (path: string): void => {
    files.set(toKey(path), path);
    for (const folder of listFolders(path)) folders.set(toKey(folder), folder);
  };
  for (const path of paths) add(path);
  return {
    add,
    findConflict: (path) => {
      for (const folder of listFolders(path)) {
        const file = files.get(toKey(folder));
        if (file !== undefined) return `${file} is a file, so it cannot contain other files`;
        const known = folders.get(toKey(folder));
        if (known !== undefined && known !== folder) return differs("folder", known, folder);
      }
      const folder = folders.get(toKey(path));
      if (folder !== undefined) return `${folder} is a folder`;
      const known = files.get(toKey(path));
      return known === undefined || known === path ? undefined : differs("file", known, path);
    },
  };
}

const differs = (what: string, known: string, other: string): string =>
  `a ${what} named ${known} already exists, and many systems treat ${other} as the same name`;

const listFolders = (path: string): readonly string[] => {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
};
