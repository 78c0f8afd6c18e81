/** Declarations of the peers' functions that are used: the peers are installed for the evaluation only, and the check must not need them. */
declare module "@mozilla/readability" {
  export class Readability {
    constructor(document: unknown);
    parse(): { readonly content?: string | null } | null;
  }
}
declare module "linkedom" {
  type Node = {
    readonly nodeType: number;
    readonly localName: string;
    readonly data: string;
    readonly childNodes: Iterable<Node>;
  };
  export function parseHTML(html: string): { readonly document: { readonly body: Node } };
}
declare module "defuddle/node" {
  export function Defuddle(
    html: string,
    url: string,
    options: { readonly useAsync: boolean },
  ): Promise<{ readonly content: string }>;
}
