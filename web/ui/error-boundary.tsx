import { Component, type ReactNode } from "react";
import { ui as strings } from "../strings/ui.ts";

type Props = {
  readonly children: ReactNode;
  /** A new value clears the error. */
  readonly resetKey?: unknown;
  readonly fallback?: ReactNode;
};
type State = { readonly error: Error | null; readonly resetKey: unknown };

/** Contains a rendering error, so that the rest of the page stays. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, resetKey: this.props.resetKey };

  static getDerivedStateFromError = (error: unknown): Partial<State> => ({
    error: error instanceof Error ? error : new Error(String(error)),
  });

  static getDerivedStateFromProps = ({ resetKey }: Props, state: State): Partial<State> | null =>
    resetKey === state.resetKey ? null : { error: null, resetKey };

  override render(): ReactNode {
    const { error } = this.state;
    const { children, fallback } = this.props;
    if (error === null) return children;
    if (fallback !== undefined) return fallback;
    return (
      <div role="alert" className="mx-auto flex max-w-lg flex-col items-start gap-3 p-6">
        <h1 className="text-lg font-medium">{strings.crash.title}</h1>
        <p>{strings.crash.text}</p>
        <button type="button" className="plain-button strong-button min-h-9" onClick={() => location.reload()}>
          {strings.crash.reload}
        </button>
        <details className="text-sm text-soft">
          <summary className="cursor-pointer">{strings.details}</summary>
          <p className="wrap-anywhere">{error.message}</p>
        </details>
      </div>
    );
  }
}
