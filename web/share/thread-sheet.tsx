import type { ThreadSheetRoute } from "../context/places.ts";
import { RenameSheet } from "./rename-sheet.tsx";
import { DeleteSheet } from "./delete-sheet.tsx";
import { ShareSheet } from "./share-sheet.tsx";

type Props = { readonly place: ThreadSheetRoute; readonly onClose: () => void };

/** What is done to a thread from wherever one is: by the palette, or by the menu of its row. */
const ThreadSheet = ({ place: { kind, threadId }, onClose }: Props) => {
  switch (kind) {
    case "share":
      return <ShareSheet threadId={threadId} onClose={onClose} />;
    case "rename":
      return <RenameSheet threadId={threadId} onClose={onClose} />;
    case "delete":
      return <DeleteSheet threadId={threadId} onClose={onClose} />;
  }
};

export default ThreadSheet;
