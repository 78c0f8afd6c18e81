import { useState, type FormEvent } from "react";
import { ApiError } from "../../protocol/client.ts";
import { usePage } from "../state/page.ts";
import { Bird } from "../ui/bird.tsx";

/** Everything is loaded anew after signing in: what another person left in memory must not be shown. */
export const SignIn = () => {
  const { client } = usePage();
  const [trouble, setTrouble] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get("token") ?? "").trim();
    if (token === "") return;
    setBusy(true);
    try {
      await client.signIn({ params: {}, body: { token } });
      location.reload();
    } catch (error) {
      setTrouble(error instanceof ApiError ? error.message : "The server cannot be reached.");
      setBusy(false);
    }
  };
  return (
    <main className="grid h-full place-content-center px-6">
      <form onSubmit={(event) => void onSubmit(event)} className="grid w-80 max-w-full justify-items-center gap-4">
        <Bird className="size-14" />
        <h1 className="font-serif text-3xl tracking-tight">Stonechat</h1>
        <label className="grid w-full gap-1.5 text-sm text-soft">
          Access token
          <input
            name="token"
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            aria-invalid={trouble !== null}
            aria-describedby="sign-in-trouble"
            className="h-11 rounded-xl bg-raised px-3.5 text-base text-ink shadow-float"
          />
        </label>
        <p id="sign-in-trouble" role="alert" className="w-full text-sm text-danger empty:hidden">
          {trouble}
        </p>
        <button type="submit" disabled={busy} className="plain-button strong-button h-11 w-full">
          {busy ? "Signing in…" : "Sign in"}
        </button>
        <p className="text-center text-sm text-soft">
          It is the <code className="font-mono text-[0.8rem]">STONECHAT_TOKEN</code> this server was started with.
        </p>
      </form>
    </main>
  );
};
