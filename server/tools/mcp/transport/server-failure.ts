/**
 * What went wrong with a server, in a sentence for the card and the model: its own words are bounded, and no header or key is in
 * it. A `session-lost` request was not done.
 */
export class ServerFailure extends Error {
  override readonly name = "ServerFailure";
  readonly kind: "signed-out" | "session-lost" | "failed";

  constructor(kind: ServerFailure["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export const isFailure = (error: unknown, kind: ServerFailure["kind"]): boolean =>
  error instanceof ServerFailure && error.kind === kind;

export const toSentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));
