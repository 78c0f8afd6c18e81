import { Annotation, Compartment, EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import { loadLanguage } from "./languages.ts";
import { fromDoc, setUpEditor, toChange, toDoc } from "./set-up.ts";
import { editor as strings } from "../../strings/workspace/editor.ts";

type Props = {
  readonly path: string;
  readonly text: string;
  readonly label?: string;
  readonly isReadOnly?: boolean;
  readonly isWrapped?: boolean;
  /** A line (from 1) to scroll to and place the cursor in, once per value. */
  readonly goal?: { readonly line: number } | null;
  readonly onReach?: () => void;
  readonly onChange?: (text: string) => void;
  readonly onSave?: () => void;
  readonly onLeave?: () => void;
};

/** Marks changes that come from outside, not from the user. */
const fromOutside = Annotation.define<boolean>();

/** A text editor with syntax highlighting. A new `text` is applied as one small change, so that the cursor stays. */
export const CodeEditor = (props: Props) => {
  const { path, text, label = strings.label(path), isReadOnly = false, isWrapped = false, goal = null } = props;
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const onChange = useEffectEvent((doc: string) => props.onChange?.(fromDoc(doc, text)));
  const onSave = useEffectEvent(() => props.onSave?.());
  const onLeave = useEffectEvent(() => props.onLeave?.());
  const onReach = useEffectEvent(() => props.onReach?.());
  const getDoc = useEffectEvent(() => toDoc(text));

  useEffect(() => {
    if (!box.current) return;
    const grammar = new Compartment();
    const view = new EditorView({
      parent: box.current,
      state: EditorState.create({
        doc: getDoc(),
        extensions: [
          keymap.of([{ key: "Mod-s", preventDefault: true, run: () => (onSave(), true) }]),
          setUpEditor({ label, isReadOnly, isWrapped }),
          grammar.of([]),
          EditorView.updateListener.of((update) => {
            const isFromOutside = update.transactions.some((one) => one.annotation(fromOutside));
            if (update.docChanged && !isFromOutside) onChange(update.state.doc.toString());
          }),
          EditorView.domEventHandlers({ blur: () => onLeave() }),
        ],
      }),
    });
    editor.current = view;
    let isActive = true;
    void loadLanguage(path)?.then((language) => {
      if (isActive) view.dispatch({ effects: grammar.reconfigure(language) });
    });
    return () => {
      isActive = false;
      editor.current = null;
      view.destroy();
    };
  }, [path, label, isReadOnly, isWrapped]);

  useEffect(() => {
    const view = editor.current;
    const change = view && toChange(view.state.doc.toString(), toDoc(text));
    if (view && change) view.dispatch({ changes: change, annotations: fromOutside.of(true) });
  }, [text]);

  useEffect(() => {
    const view = editor.current;
    if (!view || goal === null) return;
    const { from } = view.state.doc.line(Math.min(Math.max(1, goal.line), view.state.doc.lines));
    view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    view.focus();
    onReach();
  }, [goal, path]);

  return <div ref={box} dir="ltr" className="h-full min-h-0 [&>.cm-editor]:h-full" />;
};
