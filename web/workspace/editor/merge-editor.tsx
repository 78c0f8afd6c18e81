import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import { loadLanguage } from "./languages.ts";
import { fromDoc, setUpEditor, toDoc } from "./set-up.ts";

type Props = {
  readonly path: string;
  readonly mine: string;
  readonly theirs: string;
  readonly isNarrow: boolean;
  readonly onChange: (text: string) => void;
};

/** Theirs and mine, side by side or in one column; each difference can be taken from theirs, and mine written on. */
export const MergeEditor = ({ path, mine, theirs, isNarrow, onChange }: Props) => {
  const box = useRef<HTMLDivElement>(null);
  const change = useEffectEvent((doc: string) => onChange(fromDoc(doc, theirs)));
  const getMine = useEffectEvent(() => toDoc(mine));
  useEffect(() => {
    let isHere = true;
    let close: (() => void) | undefined;
    const open = (language: Extension) => {
      if (!isHere || !box.current) return;
      const listen = EditorView.updateListener.of((update) => {
        if (update.docChanged) change(update.state.doc.toString());
      });
      const own = [
        setUpEditor({ label: `Your text of ${path}`, isFixed: false, isWrapped: isNarrow }),
        language,
        listen,
      ];
      close = isNarrow
        ? openUnified(box.current, { mine: getMine(), theirs: toDoc(theirs), own })
        : openBeside(box.current, {
            mine: getMine(),
            theirs: toDoc(theirs),
            own,
            other: [setUpEditor({ label: `Their text of ${path}`, isFixed: true, isWrapped: false }), language],
          });
    };
    void Promise.resolve(loadLanguage(path)).then((language) => open(language ?? []));
    return () => {
      isHere = false;
      close?.();
    };
  }, [path, theirs, isNarrow]);
  return (
    <div
      ref={box}
      dir="ltr"
      className="h-full min-h-0 overflow-auto bg-(--code-ground) [&_.cm-merge-revert]:w-6 [&_.cm-merge-revert_button]:text-accent"
    />
  );
};

type Texts = { readonly mine: string; readonly theirs: string; readonly own: Extension };

function openUnified(parent: HTMLElement, { mine, theirs, own }: Texts): () => void {
  const extensions = [own, unifiedMergeView({ original: theirs, mergeControls: drawControl })];
  const view = new EditorView({ parent, state: EditorState.create({ doc: mine, extensions }) });
  return () => view.destroy();
}

function openBeside(parent: HTMLElement, { mine, theirs, own, other }: Texts & { readonly other: Extension }) {
  const view = new MergeView({
    parent,
    a: { doc: theirs, extensions: other },
    b: { doc: mine, extensions: own },
    revertControls: "a-to-b",
    renderRevertControl: () => toButton("→", "Take this from theirs"),
  });
  return () => view.destroy();
}

function drawControl(type: "reject" | "accept", run: (event: MouseEvent) => void): HTMLElement {
  const [text, label] =
    type === "accept" ? (["Mine", "Keep mine here"] as const) : (["Theirs", "Take theirs here"] as const);
  const button = toButton(text, label);
  button.addEventListener("mousedown", run);
  return button;
}

function toButton(text: string, label: string): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.ariaLabel = label;
  button.title = label;
  return button;
}
