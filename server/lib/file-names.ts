/**
 * The same for all names that some file system takes for one: without case and in one Unicode form. Wider than any of them
 * is: what it joins needlessly costs another name, what it missed would cost a file.
 */
export const toKey = (path: string): string =>
  path.normalize("NFKD").toLowerCase().toUpperCase().normalize("NFKD").toUpperCase();

/** Which names are taken, as files and as folders, whatever their case and form. */
export type Names = {
  /** Why a file cannot stand at this path beside the others; undefined: it can, or does. */
  readonly findClash: (path: string) => string | undefined;
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
    findClash: (path) => {
      for (const folder of listFolders(path)) {
        const file = files.get(toKey(folder));
        if (file !== undefined) return `${file} is a file, so nothing can be inside it`;
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
  `there is a ${what} ${known} already, and many systems take ${other} for the same`;

export const listFolders = (path: string): readonly string[] => {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
};
