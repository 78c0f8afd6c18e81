import { systemClock } from "../lib/clock.ts";
import type { OnProgress } from "../store/copy/copy.ts";

type Output = Pick<NodeJS.WriteStream, "write"> & { readonly isTTY?: boolean };

const BAR_CELLS = 24;
/** Redrawing more often costs time and shows nothing. */
const REDRAW_MS = 100;
const PERCENT_PER_LINE = 10;

/** A bar in a terminal; elsewhere a line for each tenth. `end` leaves the cursor at the beginning of a line. */
export function createProgress(output: Output): { readonly onProgress: OnProgress; readonly end: () => void } {
  let [drawnAt, printed, phase] = [-Infinity, 0, ""];
  const end = (): void => {
    if (output.isTTY && drawnAt > -Infinity) output.write("\r\u001B[K");
    drawnAt = -Infinity;
  };
  return {
    end,
    onProgress: (what, done, total) => {
      const percent = total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
      if (output.isTTY) {
        const now = systemClock.monotonic();
        if (now - drawnAt < REDRAW_MS && done < total) return;
        drawnAt = now;
        const cells = Math.floor((percent / 100) * BAR_CELLS);
        output.write(`\r\u001B[K[${"#".repeat(cells)}${" ".repeat(BAR_CELLS - cells)}] ${percent} % ${what}`);
        return;
      }
      const verb = what.split(" ")[0] ?? "";
      if (verb !== phase) [phase, printed] = [verb, 0];
      if (percent < printed + PERCENT_PER_LINE) return;
      printed = percent - (percent % PERCENT_PER_LINE);
      output.write(`${verb}: ${printed} %, ${Math.floor(done)} of ${total} rows\n`);
    },
  };
}
