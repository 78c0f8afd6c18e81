import { Suspense, useState } from "react";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { useOwnProfile } from "../state/use-profiles.ts";
import { composer as strings } from "../strings/composer.ts";
import { ModelButton } from "./model-button.tsx";
import { canThink, describeChoice, toJobName, usualProfile, type Choice } from "../labels/choice.ts";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const Popup = lazyChunk(() => import("./model-popup.tsx"));

type Props = { readonly value: Choice; readonly onChange: (change: Partial<Choice>) => void };

/** Choice of model, profile and effort. The lists are loaded on first use; until then only their button is rendered. */
export const ModelPicker = ({ value, onChange }: Props) => {
  const models = useSignal(usePage().session.models);
  const [isUsed, setUsed] = useState(false);
  const model = models.find(({ id }) => id === value.model);
  const profileName = useProfileName(value.profile);
  const words = describeChoice(
    model?.name ?? (value.model || strings.model.none),
    profileName,
    canThink(model) ? value.effort : null,
  );
  const button = <ModelButton words={words} aria-expanded={false} onClick={() => setUsed(true)} />;
  if (!isUsed) return button;
  return (
    <Suspense fallback={button}>
      <Popup words={words} models={models} value={value} onChange={onChange} />
    </Suspense>
  );
};

/** null: the default profile. Only names of custom profiles have to be requested. */
function useProfileName(profile: string): string | null {
  const { isOwn, found } = useOwnProfile(profile);
  if (profile === usualProfile || profile === "") return null;
  return isOwn ? (found?.name ?? strings.model.customProfile) : toJobName(profile);
}
