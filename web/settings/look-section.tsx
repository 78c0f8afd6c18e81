import { Monitor, Moon, Sun } from "lucide-react";
import type { ReactNode } from "react";
import { Quiet, Section } from "../ui/section.tsx";
import { looks, useLook, type Look, type LookName } from "../state/look.ts";

/** Appearance, stored in this browser and applied at once. */
export const LookSection = () => (
  <>
    <Section title="Theme">
      <Picks
        name="theme"
        label="Theme"
        words={{
          system: <Words Icon={Monitor} text="As the system has it" />,
          light: <Words Icon={Sun} text="Light" />,
          dark: <Words Icon={Moon} text="Dark" />,
        }}
      />
    </Section>
    <Section title="Text size">
      <Picks
        name="text"
        label="Text size"
        order={["small", "normal", "large", "larger"]}
        words={{ small: "Small", normal: "Normal", large: "Large", larger: "Larger" }}
      />
      <Quiet>Everything grows with it, also what stands around the text.</Quiet>
    </Section>
    <Section title="Spacing">
      <Picks name="density" label="Spacing" words={{ roomy: "Roomy", compact: "Compact" }} />
    </Section>
    <Section title="Motion">
      <Picks name="motion" label="Motion" words={{ system: "As the system has it", less: "Keep still" }} />
      <Quiet>Keep still: nothing fades, slides or pulses.</Quiet>
    </Section>
    <p className="text-xs text-soft">These are kept in this browser, for every tab of it.</p>
  </>
);

const Words = ({ Icon, text }: { readonly Icon: typeof Sun; readonly text: string }) => (
  <>
    <Icon aria-hidden="true" className="size-4" />
    {text}
  </>
);

type Props<N extends LookName> = {
  readonly name: N;
  readonly label: string;
  readonly words: Readonly<Record<Look<N>, ReactNode>>;
  readonly order?: readonly Look<N>[];
};

const Picks = <N extends LookName>({ name, label, words, order = looks[name] }: Props<N>) => {
  const [look, setLook] = useLook(name);
  return (
    <div role="radiogroup" aria-label={label} className="mt-1 flex flex-wrap gap-1.5">
      {order.map((one) => (
        <label
          key={one}
          className="inline-flex min-h-10 cursor-pointer items-center gap-2 rounded-xl bg-hover/60 px-4 text-sm transition-colors hover:bg-hover has-checked:bg-accent-wash has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent pointer-coarse:min-h-11"
        >
          <input
            type="radio"
            name={`look-${name}`}
            className="sr-only"
            checked={one === look}
            onChange={() => setLook(one)}
          />
          {words[one]}
        </label>
      ))}
    </div>
  );
};
