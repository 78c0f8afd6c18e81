/** The operator set something that cannot work. The message is one line and is all that is shown before the exit. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
