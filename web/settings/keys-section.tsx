import { ShortcutList } from "../shell/shortcut-list.tsx";
import { Section } from "../project/bits/section.tsx";

export const KeysSection = () => (
  <Section title="Keyboard shortcuts">
    <div className="mt-2">
      <ShortcutList />
    </div>
  </Section>
);
