import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { usePage } from "../../state/page.ts";
import { useRequest } from "../../lib/use-request.ts";
import { toolSettings as strings } from "../../strings/settings/tools.ts";

/** Sign-in happens at the server's own site, in a new tab. The host is shown before the user goes there. */
export const SignIn = ({ server }: { readonly server: string }) => {
  const { client } = usePage();
  const { state, send } = useRequest();
  const [address, setAddress] = useState<URL | null>(null);
  const start = async () => {
    const response = await send(() => client.signInToServer({ params: { server }, body: {} }));
    const url = response && toWebUrl(response.url);
    if (!url) return;
    setAddress(url);
    open(url, "_blank", "noopener,noreferrer");
  };
  return (
    <>
      <button
        type="button"
        aria-label={strings.signIn.startFor(server)}
        disabled={state.name === "sending"}
        className="plain-button strong-button min-h-8 pointer-coarse:min-h-10"
        onClick={() => void start()}
      >
        {strings.signIn.start}
      </button>
      {address && (
        <p role="status" className="basis-full text-sm text-soft">
          {strings.signIn.pending}{" "}
          <a
            href={address.href}
            target="_blank"
            rel="noopener noreferrer"
            className="inline-flex items-center gap-1 font-medium text-accent underline underline-offset-2"
          >
            {address.host}
            <ExternalLink aria-hidden="true" className="size-3.5" />
          </a>
        </p>
      )}
      {state.name === "failed" && (
        <p role="alert" className="basis-full text-sm text-danger">
          {state.text}
        </p>
      )}
      {state.name === "done" && !address && (
        <p role="alert" className="basis-full text-sm text-danger">
          {strings.signIn.noAddress}
        </p>
      )}
    </>
  );
};

function toWebUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === "https:" || url.protocol === "http:" ? url : null;
}
