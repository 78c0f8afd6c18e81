/** One per model call: what went in, what stayed out and why. The full account of slots and costs comes with the engine. */
export type Receipt = {
  readonly v: 1;
  readonly policy: "messages";
  readonly model: string;
  readonly windowTokens: number;
  /** The model's window is not known here. */
  readonly windowAssumed: boolean;
  readonly reserveTokens: number;
  /** The system text and the tools' schemas. */
  readonly fixedTokens: number;
  readonly promptTokens: number;
  readonly included: readonly {
    readonly message: string;
    readonly depth: number;
    readonly parts: readonly number[];
    readonly tokens: number;
    readonly shortenedFromTokens?: number;
  }[];
  readonly leftOut: readonly {
    readonly reason: "beyond-window" | "over-budget" | "set-aside";
    readonly messages: number;
    readonly tokens: number | null;
    readonly parts: readonly string[];
  }[];
  /** SHA-256 of the request as handed to the provider's package; added when it is stored. */
  readonly requestHash?: string;
};
