import { lazy, Suspense, useState } from "react";
import { useCell } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import { ModelButton } from "./model-button.tsx";

const Popup = lazy(() => import("./model-popup.tsx"));

type Props = { readonly modelId: string; readonly onPick: (modelId: string) => void };

/** The list is fetched with its first use; until then there is only its button. */
export const ModelPicker = ({ modelId, onPick }: Props) => {
  const models = useCell(usePage().session.models);
  const [isUsed, setUsed] = useState(false);
  const name = models.find((model) => model.id === modelId)?.name ?? (modelId || "Model");
  const button = <ModelButton name={name} aria-expanded={false} onClick={() => setUsed(true)} />;
  if (!isUsed) return button;
  return (
    <Suspense fallback={button}>
      <Popup name={name} models={models} modelId={modelId} onPick={onPick} />
    </Suspense>
  );
};
