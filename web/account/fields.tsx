import type { ComponentProps } from "react";
import { passwordLimits } from "../../protocol/roles.ts";
import { signIn as strings } from "../strings/account/sign-in.ts";
import { Field } from "../ui/field.tsx";
import { PasswordField } from "./password-field.tsx";

/** Limits of the server. */
const nameCharacters = 100;
const emailCharacters = 254;

export const NameField = (props: Partial<ComponentProps<typeof Field>>) => (
  <Field label={strings.name} name="name" autoComplete="name" dir="auto" maxLength={nameCharacters} {...props} />
);

/** Not `type="email"`: browsers refuse some addresses that the server accepts. */
export const EmailField = (props: Partial<ComponentProps<typeof Field>>) => (
  <Field
    label={strings.email}
    name="username"
    autoComplete="username"
    inputMode="email"
    dir="ltr"
    autoCapitalize="none"
    autoCorrect="off"
    spellCheck={false}
    maxLength={emailCharacters}
    look="rtl:[&_input]:text-right"
    {...props}
  />
);

export const PasswordWithRules = (props: Partial<ComponentProps<typeof Field>>) => (
  <PasswordField
    label={strings.newPassword}
    name="password"
    about={strings.passwordRules(passwordLimits.minCharacters, passwordLimits.maxCharacters)}
    {...props}
    autoComplete="new-password"
  />
);

/** The server checks new passwords again, and knows common ones. */
export function findPasswordFault(password: string): string | null {
  const { minCharacters, maxCharacters } = passwordLimits;
  if (password.length < minCharacters) return strings.needs.longer(minCharacters);
  return password.length > maxCharacters ? strings.needs.shorter(maxCharacters) : null;
}
