import { Monitor, Moon, Sun } from "lucide-react";
import type { ReactNode } from "react";
import { Quiet, Section } from "../ui/section.tsx";
import { looks, useLook, type Look, type LookName } from "../state/look.ts";
import { usePage } from "../state/page.ts";
import { languageKey, languages } from "../strings/language.ts";
import { settings as strings } from "../strings/settings/page.ts";

const { appearance } = strings;

/** Appearance, stored in this browser and applied at once. */
export const AppearanceSection = () => (
  <>
    <LanguageChoice />
    <Section title={appearance.theme}>
      <Options
        name="theme"
        label={appearance.theme}
        labels={{
          system: <IconLabel Icon={Monitor} text={appearance.themes.system} />,
          light: <IconLabel Icon={Sun} text={appearance.themes.light} />,
          dark: <IconLabel Icon={Moon} text={appearance.themes.dark} />,
        }}
      />
    </Section>
    <Section title={appearance.textSize}>
      <Options
        name="text"
        label={appearance.textSize}
        order={["small", "normal", "large", "larger"]}
        labels={appearance.textSizes}
      />
      <Quiet>{appearance.textSizeAbout}</Quiet>
    </Section>
    <Section title={appearance.spacing}>
      <Options name="density" label={appearance.spacing} labels={appearance.spacings} />
    </Section>
    <Section title={appearance.motion}>
      <Options name="motion" label={appearance.motion} labels={appearance.motions} />
      <Quiet>{appearance.motionAbout}</Quiet>
    </Section>
    <p className="text-xs text-soft">{appearance.storage}</p>
  </>
);

/** The page is loaded again in the other language: unsent text is in drafts, so nothing is lost. */
const LanguageChoice = () => {
  const { storage } = usePage();
  const choose = (language: string) => {
    storage.set(languageKey, language === "" ? null : language);
    location.reload();
  };
  return (
    <Section title={appearance.language}>
      <select
        aria-label={appearance.language}
        value={storage.get(languageKey) ?? ""}
        onChange={(event) => choose(event.target.value)}
        className="mt-1 min-h-10 rounded-xl bg-hover/60 px-3 text-sm hover:bg-hover focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-accent pointer-coarse:min-h-11"
      >
        <option value="">{appearance.browserLanguage}</option>
        {Object.entries(languages).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
      <Quiet>{appearance.languageAbout}</Quiet>
    </Section>
  );
};

const IconLabel = ({ Icon, text }: { readonly Icon: typeof Sun; readonly text: string }) => (
  <>
    <Icon aria-hidden="true" className="size-4" />
    {text}
  </>
);

type OptionsProps<N extends LookName> = {
  readonly name: N;
  readonly label: string;
  readonly labels: Readonly<Record<Look<N>, ReactNode>>;
  readonly order?: readonly Look<N>[];
};

const Options = <N extends LookName>({ name, label, labels, order = looks[name] }: OptionsProps<N>) => {
  const [look, setLook] = useLook(name);
  return (
    <div role="radiogroup" aria-label={label} className="mt-1 flex flex-wrap gap-1.5">
      {order.map((option) => (
        <label
          key={option}
          className="inline-flex min-h-10 cursor-pointer items-center gap-2 rounded-xl bg-hover/60 px-4 text-sm transition-colors hover:bg-hover has-checked:bg-accent-wash has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent pointer-coarse:min-h-11"
        >
          <input
            type="radio"
            name={`look-${name}`}
            className="sr-only"
            checked={option === look}
            onChange={() => setLook(option)}
          />
          {labels[option]}
        </label>
      ))}
    </div>
  );
};
