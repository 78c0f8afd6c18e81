/** The database cannot be reached or written right now. The caller may retry. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** The disk is full. Reads still work; writes work again when there is space. */
export class StorageFull extends Error {
  override readonly name = "StorageFull";
}

/** A page of the database could not be read. Requests that do not need it still succeed. */
export class DamagedPageError extends Error {
  override readonly name = "DamagedPageError";
  /** False for a failed disk read, which may succeed later. */
  readonly isPermanent: boolean;

  constructor(message: string, isPermanent: boolean) {
    super(message);
    this.isPermanent = isPermanent;
  }
}
