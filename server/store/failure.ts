/** The database cannot be written or reached right now; the caller may try again. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** No room left: reads go on, writes come back when space does. */
export class StorageFull extends Error {
  override readonly name = "StorageFull";
}

/** A page of the database could not be read. Requests that do not need it still succeed. */
export class Damaged extends Error {
  override readonly name = "Damaged";
  /** False for a failed disk read, which may succeed later. */
  readonly isPermanent: boolean;

  constructor(message: string, isPermanent: boolean) {
    super(message);
    this.isPermanent = isPermanent;
  }
}
