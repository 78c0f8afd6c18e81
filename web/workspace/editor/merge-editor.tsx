import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import { loadLanguage } from "./languages.ts";
import { fromDoc, setUpEditor, toDoc } from "./set-up.ts";
import { editor } from "../../strings/workspace/editor.ts";

const strings = editor.conflict;

type Props = {
  readonly path: string;
  readonly mine: string;
  readonly theirs: string;
  readonly isNarrow: boolean;
  readonly onChange: (text: string) => void;
};

/** Both versions, side by side or in one column. Each of their changes can be applied, and the user's version edited. */
export const MergeEditor = ({ path, mine, theirs, isNarrow, onChange }: Props) => {
  const box = useRef<HTMLDivElement>(null);
  const change = useEffectEvent((doc: string) => onChange(fromDoc(doc, theirs)));
  const getMine = useEffectEvent(() => toDoc(mine));
  useEffect(() => {
    let isActive = true;
    let close: (() => void) | undefined;
    const open = (language: Extension) => {
      if (!isActive || !box.current) return;
      const listen = EditorView.updateListener.of((update) => {
        if (update.docChanged) change(update.state.doc.toString());
      });
      const own = [
        setUpEditor({ label: strings.mineLabel(path), isReadOnly: false, isWrapped: isNarrow }),
        language,
        listen,
      ];
      close = isNarrow
        ? openUnified(box.current, { mine: getMine(), theirs: toDoc(theirs), own })
        : openSideBySide(box.current, {
            mine: getMine(),
            theirs: toDoc(theirs),
            own,
            other: [setUpEditor({ label: strings.theirsLabel(path), isReadOnly: true, isWrapped: false }), language],
          });
    };
    void Promise.resolve(loadLanguage(path)).then((language) => open(language ?? []));
    return () => {
      isActive = false;
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

function openSideBySide(parent: HTMLElement, { mine, theirs, own, other }: Texts & { readonly other: Extension }) {
  const view = new MergeView({
    parent,
    a: { doc: theirs, extensions: other },
    b: { doc: mine, extensions: own },
    revertControls: "a-to-b",
    renderRevertControl: () => toButton("→", strings.useTheirs),
  });
  return () => view.destroy();
}

function drawControl(type: "reject" | "accept", run: (event: MouseEvent) => void): HTMLElement {
  const [text, label]: readonly [string, string] =
    type === "accept" ? [strings.mine, strings.keepMine] : [strings.theirs, strings.useTheirs];
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
