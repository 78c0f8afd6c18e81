/** The little of these that the peer's page uses: they are installed for the benchmarks only, and the check must not need them. */
declare module "@assistant-ui/react" {
  import type { ComponentType, ReactNode } from "react";
  type Held = { readonly children?: ReactNode; readonly className?: string; readonly asChild?: boolean };
  type Message = { readonly content: readonly { readonly type: string; readonly text?: string }[] };
  type Asked = { readonly messages: readonly Message[]; readonly abortSignal: AbortSignal };
  type Runtime = { readonly thread: object };
  export function useLocalRuntime(
    model: { readonly run: (asked: Asked) => AsyncGenerator<object> },
    options: { readonly initialMessages: readonly object[] },
  ): Runtime;
  export const AssistantRuntimeProvider: ComponentType<{ readonly runtime: Runtime; readonly children: ReactNode }>;
  export const ThreadPrimitive: {
    readonly Root: ComponentType<Held>;
    readonly Viewport: ComponentType<Held>;
    readonly Messages: ComponentType<{ readonly components: Readonly<Record<string, ComponentType>> }>;
  };
  export const MessagePrimitive: {
    readonly Root: ComponentType<Held>;
    readonly Parts: ComponentType<{ readonly components?: Readonly<Record<string, ComponentType>> }>;
  };
  export const ComposerPrimitive: {
    readonly Root: ComponentType<Held>;
    readonly Input: ComponentType<{ readonly "aria-label": string }>;
    readonly Send: ComponentType<Held>;
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
