/** The page's current colors, for pictures that cannot use its style sheet. */
export type Colors = Readonly<Record<(typeof names)[number], string>>;

const names = ["ink", "soft", "ground", "sunk", "bubble", "line-strong", "accent", "accent-wash"] as const;

export function readColors(container: HTMLElement): Colors {
  const probe = document.createElement("span");
  container.append(probe);
  const entries = names.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(entries) as Colors;
}
