import { DrawerButton } from "./drawer-button.tsx";
import { ui as strings } from "../strings/ui.ts";
import { actions } from "../strings/actions.ts";

type Props = {
  readonly what: "thread" | "project";
  readonly state: { readonly phase: "gone" } | { readonly phase: "failed"; readonly text: string };
  readonly onRetry: () => void;
};

/** Shown in place of something that was deleted or could not be loaded. */
export const Missing = ({ what, state, onRetry }: Props) => (
  <>
    <header className="flex h-13 items-center px-3">
      <DrawerButton />
    </header>
    <div className="grid flex-1 place-content-center justify-items-center gap-4 px-6 pb-24 text-center">
      <h1 className="font-serif text-2xl">
        {state.phase === "gone" ? strings.missing.gone[what] : strings.missing.failed[what]}
      </h1>
      <p className="max-w-sm text-soft">{state.phase === "gone" ? strings.missing.goneAbout : state.text}</p>
      {state.phase === "failed" ? (
        <button type="button" className="plain-button strong-button" onClick={onRetry}>
          {actions.retry}
        </button>
      ) : (
        <a href="/" className="plain-button strong-button">
          {strings.missing.newThread}
        </a>
      )}
    </div>
  </>
);
