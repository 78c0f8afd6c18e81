/** The database cannot be written or reached right now; the caller may try again. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** No room left: reads go on, writes come back when space does. */
export class StorageFull extends Error {
  override readonly name = "StorageFull";
}
