import { UserPlus, X } from "lucide-react";
import { useState } from "react";
import { usePage } from "../state/page.ts";
import { toSettingsPath } from "../state/route.ts";
import { welcomeKey } from "../state/account/use-account.ts";
import { signIn } from "../strings/account/sign-in.ts";
import { IconButton } from "../ui/icon-button.tsx";

const strings = signIn.welcome;

/** Shown to the first admin after set-up, until it is used or hidden. */
const Welcome = () => {
  const { storage } = usePage();
  const [isHidden, setHidden] = useState(false);
  const hide = () => {
    storage.set(welcomeKey, null);
    setHidden(true);
  };
  if (isHidden) return null;
  return (
    <aside
      aria-label={strings.title}
      className="flex items-start gap-2.5 rounded-xl bg-sunk py-1 ps-3 pe-1 text-sm text-soft"
    >
      <UserPlus aria-hidden="true" className="mt-1.5 size-4 flex-none text-accent" />
      <p className="min-w-0 flex-1 py-1 text-pretty">
        <b className="font-medium text-ink">{strings.title}.</b> {strings.about}{" "}
        <a href={toSettingsPath("people")} onClick={hide} className="font-medium text-ink underline underline-offset-2">
          {strings.invite}
        </a>
      </p>
      <IconButton label={strings.hide} className="size-7" onClick={hide}>
        <X aria-hidden="true" className="size-4" />
      </IconButton>
    </aside>
  );
};

export default Welcome;
