/** The little of secretlint that is used: it is installed for the evaluation only, and the check must not need it. */
declare module "@secretlint/core" {
  export function lintSource(options: {
    readonly source: { readonly filePath: string; readonly content: string; readonly contentType: "text" };
    readonly options: {
      readonly noPhysicFilePath: boolean;
      readonly config: { readonly rules: readonly { readonly id: string; readonly rule: unknown }[] };
    };
  }): Promise<{ readonly messages: readonly { readonly type: string; readonly range: readonly [number, number] }[] }>;
}
declare module "@secretlint/secretlint-rule-preset-recommend" {
  export const creator: unknown;
}
