/**
 * The same for all names that some file system takes for one: without case and in one Unicode form. Wider than any of them
 * is: what it joins needlessly costs another name, what it missed would cost a file.
 */
export const toKey = (path: string): string =>
  path.normalize("NFKD").toLowerCase().toUpperCase().normalize("NFKD").toUpperCase();
