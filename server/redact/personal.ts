import type { Finder } from "./find/span.ts";

/** Personal data, redacted only if the operator enables it: email addresses, cards, bank accounts, phone numbers. */
const email = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,6}/g;
const card = /\b\d(?:[ -]?\d){12,18}\b/g;
const iban = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g;
const phone = /(?<![\w.+-])(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,4}\)[ .-]?)?\d{2,4}(?:[ .-]\d{2,4}){2,4}(?![\w-])/g;
const number = /\b\d{3}-\d{2}-\d{4}\b/g;

export const findPersonal: Finder = (text, add) => {
  const put = (pattern: RegExp, kind: string, isOne: (value: string) => boolean): void => {
    for (const match of text.matchAll(pattern))
      if (isOne(match[0])) add({ start: match.index, end: match.index + match[0].length, kind });
  };
  put(email, "email", isEmail);
  put(card, "card", isCard);
  put(iban, "iban", isIban);
  put(phone, "phone", isPhone);
  put(number, "number", () => true);
};

const whole = (pattern: RegExp): RegExp => new RegExp(`^(?:${pattern.source})$`);
const [wholeEmail, wholeCard, wholeIban, wholePhone] = [email, card, iban, phone].map(whole) as [
  RegExp,
  RegExp,
  RegExp,
  RegExp,
];

export const isEmail = (value: string): boolean => wholeEmail.test(value);

/** Verifies the check digit, so that order numbers are not redacted. */
export function isCard(value: string): boolean {
  if (!wholeCard.test(value)) return false;
  const digits = value.replace(/\D/g, "");
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]) * (at % 2 === 1 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0 && !/^(\d)\1+$/.test(digits);
}

export function isIban(value: string): boolean {
  if (!wholeIban.test(value)) return false;
  const code = value.replace(/ /g, "");
  let rest = 0;
  for (const letter of code.slice(4) + code.slice(0, 4))
    for (const digit of String(Number.parseInt(letter, 36))) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

/** Excludes dates and versions. */
export const isPhone = (value: string): boolean =>
  wholePhone.test(value) &&
  value.replace(/\D/g, "").length >= 9 &&
  !/^\d{4}[.-]\d{2}[.-]\d{2}|^\d+(?:\.\d+)+$/.test(value);
