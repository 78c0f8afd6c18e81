export type NetErrorCode =
  | "bad-url"
  | "blocked"
  | "dns"
  | "connect"
  | "tls"
  | "timeout"
  | "aborted"
  | "too-large"
  | "too-many-redirects"
  | "robots"
  | "encoding"
  | "protocol";

/**
 * Why there is no response. The message is a sentence for the user; it never contains a header, a body or a credential.
 */
export class NetError extends Error {
  override readonly name = "NetError";
  readonly code: NetErrorCode;

  constructor(code: NetErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
