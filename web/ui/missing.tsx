import { DrawerButton } from "./drawer-button.tsx";

type Props = {
  /** Noun for the missing item, such as "thread". */
  readonly what: string;
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
        {state.phase === "gone" ? `This ${what} is gone` : `This ${what} did not load`}
      </h1>
      <p className="max-w-sm text-soft">
        {state.phase === "gone" ? "It was deleted, or it was never here." : state.text}
      </p>
      {state.phase === "failed" ? (
        <button type="button" className="plain-button strong-button" onClick={onRetry}>
          Try again
        </button>
      ) : (
        <a href="/" className="plain-button strong-button">
          Start a new thread
        </a>
      )}
    </div>
  </>
);
