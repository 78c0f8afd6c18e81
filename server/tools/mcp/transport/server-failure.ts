/**
 * A failure of a server, with a message for the card and the model. The message is limited in length and contains no headers or
 * keys. After `session-lost` the request was not executed.
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
