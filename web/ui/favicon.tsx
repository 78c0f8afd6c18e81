import { toHue, toLetter } from "../lib/host.ts";

/** A tile for a host. Drawn locally: loading the real icon would tell the host who reads. */
export const Favicon = ({ host }: { readonly host: string }) => (
  <span
    aria-hidden="true"
    className="grid size-4.5 flex-none place-items-center rounded-[0.3rem] text-[0.65rem] leading-none font-bold select-none"
    style={{
      background: `light-dark(oklch(0.87 0.045 ${toHue(host)}), oklch(0.35 0.045 ${toHue(host)}))`,
      color: `light-dark(oklch(0.34 0.08 ${toHue(host)}), oklch(0.9 0.06 ${toHue(host)}))`,
    }}
  >
    {toLetter(host)}
  </span>
);
