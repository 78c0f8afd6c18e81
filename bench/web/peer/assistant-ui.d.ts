/** The parts of these packages that the peer's page uses. They are installed only for the benchmarks, and the type check must not need them. */
declare module "@assistant-ui/react" {
  import type { ComponentType, ReactNode } from "react";
  type ThreadState = { readonly children?: ReactNode; readonly className?: string; readonly asChild?: boolean };
  type Message = { readonly content: readonly { readonly type: string; readonly text?: string }[] };
  type RunOptions = { readonly messages: readonly Message[]; readonly abortSignal: AbortSignal };
  type Runtime = { readonly thread: object };
  export function useLocalRuntime(
    model: { readonly run: (asked: RunOptions) => AsyncGenerator<object> },
    options: { readonly initialMessages: readonly object[] },
  ): Runtime;
  export const AssistantRuntimeProvider: ComponentType<{ readonly runtime: Runtime; readonly children: ReactNode }>;
  export const ThreadPrimitive: {
    readonly Root: ComponentType<ThreadState>;
    readonly Viewport: ComponentType<ThreadState>;
    readonly Messages: ComponentType<{ readonly components: Readonly<Record<string, ComponentType>> }>;
  };
  export const MessagePrimitive: {
    readonly Root: ComponentType<ThreadState>;
    readonly Parts: ComponentType<{ readonly components?: Readonly<Record<string, ComponentType>> }>;
  };
  export const ComposerPrimitive: {
    readonly Root: ComponentType<ThreadState>;
    readonly Input: ComponentType<{ readonly "aria-label": string }>;
    readonly Send: ComponentType<ThreadState>;
  };
}

declare module "@assistant-ui/react-markdown" {
  import type { ComponentType } from "react";
  export const MarkdownTextPrimitive: ComponentType<{ readonly remarkPlugins: readonly unknown[] }>;
}

declare module "remark-gfm" {
  const plugin: unknown;
  export default plugin;
}
