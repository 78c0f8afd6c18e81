/** A setting that cannot work. The message is one line; it is printed before the process exits. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
