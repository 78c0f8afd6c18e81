type Props<K extends string> = {
  readonly label: string;
  readonly names: Readonly<Record<K, string>>;
  readonly order: readonly K[];
  readonly value: K;
  readonly onChange: (value: K) => void;
};

/** One of a few, all of them in view. */
export const Segments = <K extends string>({ label, names, order, value, onChange }: Props<K>) => (
  <div role="group" aria-label={label} className="flex flex-wrap rounded-xl bg-sunk p-0.5">
    {order.map((one) => (
      <button
        key={one}
        type="button"
        aria-pressed={one === value}
        className="rounded-[0.6rem] px-2.5 py-1.5 text-sm text-soft hover:text-ink aria-pressed:bg-raised aria-pressed:font-medium aria-pressed:text-ink aria-pressed:shadow-[0_1px_2px_var(--shadow)] pointer-coarse:py-2.5"
        onClick={() => onChange(one)}
      >
        {names[one]}
      </button>
    ))}
  </div>
);
