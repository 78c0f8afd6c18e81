/** The page's current colours, for pictures that cannot use its style sheet. */
export type Colours = Readonly<Record<(typeof names)[number], string>>;

const names = ["ink", "soft", "ground", "sunk", "bubble", "line-strong", "accent", "accent-wash"] as const;

export function readColours(container: HTMLElement): Colours {
  const probe = document.createElement("span");
  container.append(probe);
  const entries = names.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(entries) as Colours;
}
