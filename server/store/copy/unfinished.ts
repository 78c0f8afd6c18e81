/** Key in `meta` of a database that is being filled by a restore or a move. Its value names the source. */
export const UNFINISHED = "unfinished-copy";

/** For a restore or move into a database that has an unfinished copy of another source. */
export const toOtherSource = (name: string): Error =>
  new Error(
    `${name} is an unfinished copy of another source: an earlier restore or move into it was stopped. To finish it, name the same ` +
      "source (the same backup file, if its folder has a newer one by now). Otherwise empty it first.",
  );

/** A server that opened it would show a part of the data as if it were everything. */
export function refuseUnfinished(mark: string | undefined, name: string): void {
  if (mark === undefined) return;
  throw new Error(
    `${name} is an unfinished copy: a restore or move into it was stopped. Run the same command again to finish it, ` +
      "or empty the database.",
  );
}
