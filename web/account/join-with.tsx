import { useState } from "react";
import { createClient } from "../../protocol/client.ts";
import { toErrorText, useLoad } from "../lib/use-load.ts";
import { outsideSignIn as strings } from "../strings/account/outside.ts";
import { Or } from "./other-ways.tsx";

/** Accepts an invitation with the provider instead of a password. */
export const JoinWith = ({ token }: { readonly token: string }) => {
  const { state } = useLoad("instance", (signal) => createClient().getInstance({ params: {} }, signal));
  const [fault, setFault] = useState<string | null>(null);
  const provider = state.phase === "ready" ? state.value.oidc : undefined;
  if (!provider) return null;
  const start = async () => {
    setFault(null);
    try {
      const { url } = await createClient().startOidc({ params: {}, body: { invitation: token } });
      if (/^https?:\/\//.test(url)) location.assign(url);
    } catch (error) {
      setFault(toErrorText(error));
    }
  };
  return (
    <div className="grid gap-4 text-sm">
      <Or />
      <button type="button" className="plain-button h-11 w-full" onClick={() => void start()}>
        <span className="truncate">{strings.joinWith(provider.name)}</span>
      </button>
      {fault !== null && (
        <p role="alert" className="text-danger">
          {fault}
        </p>
      )}
    </div>
  );
};
