import { Parser } from "htmlparser2";

export type Attributes = Readonly<Record<string, string>>;
export type XmlHandler = {
  /** `name` is without its namespace prefix; attributes have their name with and without it. */
  readonly open?: (name: string, attributes: Attributes) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
};

/** No real document is nested deeper, and the parser's time grows with the depth. */
const MOST_DEPTH = 500;

/**
 * A streaming XML parser. It knows only the predefined entities, ignores document types and loads nothing, so that entity
 * bombs and external entities have no effect.
 */
export function createXmlParser({ open, close, text }: XmlHandler): {
  readonly write: (chunk: string) => void;
  readonly end: () => void;
} {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1;
        if (depth > MOST_DEPTH) throw new Error("This XML is nested too deeply.");
        open?.(toLocal(name), toLocalNames(attributes));
      },
      onclosetag: (name) => {
        depth -= 1;
        close?.(toLocal(name));
      },
      ontext: (value) => text?.(value),
    },
    { xmlMode: true, decodeEntities: true },
  );
  return { write: (chunk) => parser.write(chunk), end: () => parser.end() };
}

export function parseXml(xml: string, handler: XmlHandler): void {
  const parser = createXmlParser(handler);
  parser.write(xml);
  parser.end();
}

const toLocal = (name: string): string => name.slice(name.indexOf(":") + 1);

function toLocalNames(attributes: Attributes): Attributes {
  const local: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(attributes)) {
    local[name] = value;
    local[toLocal(name)] ??= value;
  }
  return local;
}
