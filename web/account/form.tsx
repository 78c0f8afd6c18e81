import { useEffect, useRef, useState, type ReactNode } from "react";
import { signIn as strings } from "../strings/account/sign-in.ts";
import { shell } from "../strings/shell.ts";
import { Bird } from "../ui/bird.tsx";
import type { SignInState } from "./use-sign-in.ts";

type FrameProps = { readonly title: string; readonly about?: ReactNode; readonly children?: ReactNode };

/** A page with one form in the middle. */
export const FormFrame = ({ title, about, children }: FrameProps) => {
  useEffect(() => {
    document.title = title.includes(shell.app) ? title : shell.documentTitle(title);
  }, [title]);
  return (
    <main className="grid h-full justify-items-center overflow-y-auto overscroll-contain px-6 pt-[max(2rem,env(safe-area-inset-top))] pb-[max(2rem,env(safe-area-inset-bottom))]">
      <div className="my-auto grid w-80 max-w-full gap-5">
        <header className="grid justify-items-center gap-3 text-center">
          <Bird className="size-14" />
          <h1 className="font-serif text-3xl tracking-tight text-balance">{title}</h1>
          {about !== undefined && <div className="grid gap-2 text-sm text-pretty text-soft">{about}</div>}
        </header>
        {children}
      </div>
    </main>
  );
};

export type Faults = Readonly<Record<string, string>>;
export const noFaults: Faults = {};
export const isFree = (faults: Faults): boolean => Object.keys(faults).length === 0;

type FormProps = {
  readonly label: string;
  /** By field. A new object moves the focus to the first field that has one. */
  readonly faults: Faults;
  /** Reads the fields, not React's state: browsers may fill them in without events. */
  readonly onSubmit: (read: (name: string) => string) => void;
  readonly children: ReactNode;
};

/** Its fields are larger than those of the settings. The page validates them, not the browser, so that errors are in the page's language. */
export const AccountForm = ({ label, faults, onSubmit, children }: FormProps) => {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [faults]);
  return (
    <form
      ref={form}
      noValidate
      aria-label={label}
      className={formLook}
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        onSubmit((name) => String(data.get(name) ?? ""));
      }}
    >
      {children}
    </form>
  );
};

const formLook =
  "grid gap-4 [&_input]:h-11 [&_input]:bg-raised [&_input]:px-3.5 [&_input]:text-base [&_input]:shadow-float [&_input[aria-invalid]]:ring-1 [&_input[aria-invalid]]:ring-danger [&_input[readonly]]:bg-sunk [&_input[readonly]]:shadow-none [&_label]:text-sm [&_label]:font-normal";

type EndProps = {
  readonly state: SignInState;
  /** Instead of the server's message. */
  readonly failure?: string | undefined;
  readonly text: string;
  readonly sending: string;
  readonly disabled?: boolean;
};

/** The error of the latest attempt and the button for the next one. */
export const FormEnd = ({ state, failure, text, sending, disabled = false }: EndProps) => {
  const left = useCountdown(state);
  return (
    <>
      {state.name === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {failure ?? state.text}
        </p>
      )}
      {state.name === "throttled" && (
        <p className="text-sm text-danger">
          {/* Announced once, not each second. */}
          <span role="alert" className="sr-only">
            {strings.throttled(state.seconds)}
          </span>
          <span aria-hidden="true">{left > 0 ? strings.throttled(left) : strings.retryNow}</span>
          <span role="status" className="sr-only">
            {left === 0 && strings.retryNow}
          </span>
        </p>
      )}
      <button
        type="submit"
        disabled={disabled || state.name === "sending" || left > 0}
        className="plain-button strong-button h-11 w-full"
      >
        {state.name === "sending" ? sending : text}
      </button>
    </>
  );
};

/** Seconds left of a wait. */
function useCountdown(state: SignInState): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (state.name !== "throttled") return setLeft(0);
    const until = performance.now() + state.seconds * 1000;
    const count = () => setLeft(Math.max(0, Math.ceil((until - performance.now()) / 1000)));
    count();
    const timer = setInterval(count, 250);
    return () => clearInterval(timer);
  }, [state]);
  return left;
}
