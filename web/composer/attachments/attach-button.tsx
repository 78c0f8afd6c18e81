import { Paperclip } from "lucide-react";
import { useRef } from "react";
import { composer } from "../../strings/composer.ts";
import { IconButton } from "../../ui/icon-button.tsx";

/** Opens the browser's file picker. Any file can be chosen: the server decides by content what it can read. */
export const AttachButton = ({ onPick }: { readonly onPick: (files: readonly File[]) => void }) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-attach=""
        onChange={({ currentTarget }) => {
          onPick([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
      <IconButton
        label={composer.attachments.add}
        hint={composer.attachments.addHint}
        className="size-9 rounded-xl"
        onClick={() => input.current?.click()}
      >
        <Paperclip aria-hidden="true" className="size-4.5" />
      </IconButton>
    </>
  );
};
