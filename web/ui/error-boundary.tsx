import { Component, type ReactNode } from "react";

type Props = {
  readonly children: ReactNode;
  /** Another one clears the error. */
  readonly place?: unknown;
  readonly fallback?: ReactNode;
};
type State = { readonly error: Error | null; readonly place: unknown };

/** Keeps an error while drawing from emptying the whole page. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, place: this.props.place };

  static getDerivedStateFromError = (error: unknown): Partial<State> => ({
    error: error instanceof Error ? error : new Error(String(error)),
  });

  static getDerivedStateFromProps = ({ place }: Props, state: State): Partial<State> | null =>
    place === state.place ? null : { error: null, place };

  override render(): ReactNode {
    const { error } = this.state;
    const { children, fallback } = this.props;
    if (error === null) return children;
    if (fallback !== undefined) return fallback;
    return (
      <div role="alert" className="mx-auto flex max-w-lg flex-col items-start gap-3 p-6">
        <h1 className="text-lg font-medium">This part of the page could not be shown</h1>
        <p>Your messages are stored on the server, and unsent text in this browser. Reload the page to continue.</p>
        <button type="button" className="plain-button strong-button min-h-9" onClick={() => location.reload()}>
          Reload
        </button>
        <details className="text-sm text-soft">
          <summary className="cursor-pointer">Details</summary>
          <p className="wrap-anywhere">{error.message}</p>
        </details>
      </div>
    );
  }
}
