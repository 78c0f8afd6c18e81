/** Splits a pipe's output into lines. Buffers at most one line. */
export type Lines = {
  /** Returns false when a line exceeds the limit; the pipe cannot be read any further. */
  readonly push: (chunk: Uint8Array) => boolean;
};

const NEWLINE = 0x0a;

export function createLines(maxBytes: number, onLine: (line: string) => void): Lines {
  let parts: Uint8Array[] = [];
  let size = 0;
  return {
    push: (chunk) => {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        if (size + end - start > maxBytes) return false;
        parts.push(chunk.subarray(start, end));
        const line = Buffer.concat(parts).toString("utf8");
        [parts, size, start] = [[], 0, end + 1];
        onLine(line);
      }
      if (start < chunk.length) parts.push(chunk.subarray(start));
      size += chunk.length - start;
      return size <= maxBytes;
    },
  };
}
