/** Reads server-sent events from text that arrives in any pieces. Comments are dropped; a frame without data is too. */
export type Frame = { readonly id: string | null; readonly data: string };

export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: string) => void {
  let rest = "";
  let id: string | null = null;
  let lines: string[] = [];

  const readLine = (line: string) => {
    if (line === "") {
      if (lines.length > 0) onFrame({ id, data: lines.join("\n") });
      id = null;
      lines = [];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") id = value;
    if (field === "data") lines.push(value);
  };

  return (chunk) => {
    rest += chunk;
    let start = 0;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", start)) {
      const line = rest.slice(start, end);
      readLine(line.endsWith("\r") ? line.slice(0, -1) : line);
      start = end + 1;
    }
    rest = rest.slice(start);
  };
}
