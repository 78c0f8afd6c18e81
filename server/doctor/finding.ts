/** A result of a check. `advice` is a sentence that says what to do. */
export type Finding = {
  readonly level: "ok" | "warning" | "problem";
  readonly text: string;
  readonly advice: string;
};

export const ok = (text: string): Finding => ({ level: "ok", text, advice: "" });
export const warning = (text: string, advice: string): Finding => ({ level: "warning", text, advice });
export const problem = (text: string, advice: string): Finding => ({ level: "problem", text, advice });

export function toLine({ level, text, advice }: Finding): string {
  const sentence = /[.!?]$/.test(text) ? text : `${text}.`;
  return `${level.padEnd(8)} ${sentence}${advice === "" ? "" : ` ${advice}`}`;
}
