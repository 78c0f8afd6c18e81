import type { BodyInput } from "../../../protocol/api.ts";
import type { PolicyName } from "../../../protocol/context/policy.ts";
import type { ProfileLimits, ProfileView, ProfileWindow } from "../../../protocol/settings/profiles.ts";
import { groupDigits } from "../../lib/format.ts";
import { profileSettings as strings } from "../../strings/settings/profiles.ts";

/** Form values of a profile; numbers are unparsed text. */
export type ProfileForm = {
  readonly name: string;
  readonly instructions: string;
  readonly tools: readonly string[] | null;
  readonly limits: Readonly<Record<LimitName, string>>;
  readonly perTool: readonly { readonly tool: string; readonly count: string }[];
  readonly policy: PolicyName;
  readonly model: string | null;
  /** Empty: the default. */
  readonly window: Readonly<Record<WindowName, string>>;
};

export type LimitName = "steps" | "calls" | "tokens" | "costUsd" | "seconds";
export type WindowName = keyof ProfileWindow;
export type FormErrors = Readonly<Partial<Record<"name" | LimitName | WindowName | "perTool", string>>>;
type Change = Omit<BodyInput<"changeProfile">, "was">;

export const limitNames: readonly LimitName[] = ["steps", "calls", "tokens", "seconds", "costUsd"];

const toText = (count: number | null): string => (count === null ? "" : String(count));

export const toForm = ({ name, instructions, tools, limits, policy, model, window }: ProfileView): ProfileForm => ({
  name,
  instructions,
  tools,
  limits: {
    steps: toText(limits.steps),
    calls: toText(limits.calls),
    tokens: toText(limits.tokens),
    seconds: toText(limits.seconds),
    costUsd: toText(limits.costUsd),
  },
  perTool: Object.entries(limits.perTool).map(([tool, count]) => ({ tool, count: String(count) })),
  policy,
  model,
  window: {
    messages: toText(window.messages),
    characters: toText(window.characters),
    pageCharacters: toText(window.pageCharacters),
    messageCharacters: toText(window.messageCharacters),
  },
});

/** The server's bounds. */
export const windowBounds: Readonly<Record<WindowName, readonly [number, number]>> = {
  messages: [1, 500],
  characters: [200, 1_000_000],
  pageCharacters: [500, 200_000],
  messageCharacters: [100, 100_000],
};
const windowNames = Object.keys(windowBounds) as readonly WindowName[];

/** Validation errors by field. */
export function validateForm(form: ProfileForm, bounds: ProfileLimits): FormErrors {
  const errors: Partial<Record<keyof FormErrors, string>> = {};
  if (form.name.trim() === "") errors.name = strings.errors.name;
  for (const name of limitNames) {
    const error = validateLimit(name, form.limits[name], bounds[name]);
    if (error) errors[name] = error;
  }
  for (const name of windowNames) {
    const [least, most] = windowBounds[name];
    const text = form.window[name].trim();
    if (text !== "" && (!isCount(text) || Number(text) < least || Number(text) > most))
      errors[name] = strings.errors.between(groupDigits(least), groupDigits(most));
  }
  const limits = form.perTool.filter(({ tool }) => tool !== "");
  if (limits.some(({ count }) => !isCount(count))) errors.perTool = strings.errors.count;
  if (new Set(limits.map(({ tool }) => tool)).size < limits.length) errors.perTool = strings.errors.toolTwice;
  return errors;
}

function validateLimit(name: LimitName, text: string, max: number | null): string | null {
  const isCost = name === "costUsd";
  if (isCost && text.trim() === "") return max === null ? null : strings.errors.tooHigh(`$${max}`);
  if (isCost ? parseCost(text) === null : !isCount(text)) {
    return isCost ? strings.errors.cost : strings.errors.count;
  }
  const count = isCost ? (parseCost(text) ?? 0) : Number(text);
  if (max === null || count <= max) return null;
  return strings.errors.tooHigh(isCost ? `$${max}` : groupDigits(max));
}

const parseIfSet = (text: string): number | null => (text.trim() === "" ? null : Number(text));

const isCount = (text: string): boolean => /^\s*[1-9]\d{0,14}\s*$/.test(text);

function parseCost(text: string): number | null {
  const plain = text.trim().replace(",", ".").replace(/^\$/, "");
  const cost = Number(plain);
  return plain !== "" && Number.isFinite(cost) && cost > 0 ? cost : null;
}

/** The changed fields of a valid form; null: none. */
export function toChange(form: ProfileForm, before: ProfileView): Change | null {
  const limits = {
    steps: Number(form.limits.steps),
    calls: Number(form.limits.calls),
    tokens: Number(form.limits.tokens),
    seconds: Number(form.limits.seconds),
    costUsd: parseCost(form.limits.costUsd),
    perTool: Object.fromEntries(
      form.perTool.filter(({ tool }) => tool !== "").map(({ tool, count }) => [tool, Number(count)]),
    ),
  };
  const next = {
    name: form.name.trim(),
    instructions: form.instructions,
    tools: form.tools === null ? null : [...form.tools],
    policy: form.policy,
    model: form.model,
  };
  const changed = pickChanged(next, before);
  const changedLimits = pickChanged(limits, before.limits);
  const changedWindow = pickChanged(
    {
      messages: parseIfSet(form.window.messages),
      characters: parseIfSet(form.window.characters),
      pageCharacters: parseIfSet(form.window.pageCharacters),
      messageCharacters: parseIfSet(form.window.messageCharacters),
    },
    before.window,
  );
  const change = {
    ...changed,
    ...(Object.keys(changedLimits).length === 0 ? {} : { limits: changedLimits }),
    ...(Object.keys(changedWindow).length === 0 ? {} : { window: changedWindow }),
  };
  return Object.keys(change).length === 0 ? null : change;
}

const pickChanged = <T extends object>(next: T, before: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(next).filter(([key, value]) => toPlain(value) !== toPlain(before[key as keyof T])),
  ) as Partial<T>;

/** Equal for equal values, independent of field order. */
const toPlain = (value: unknown): string =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : JSON.stringify(value);
