import { useLoad } from "../../lib/use-load.ts";
import { usePage } from "../../state/page.ts";
import { Waiting } from "../../ui/section.tsx";
import { useConfirmed } from "../account/use-confirmed.tsx";
import { ApiKeyForm, type FormProps } from "./api-key-form.tsx";

/** With accounts a new key needs a recent proof of who the user is. */
const ConfirmedKeyForm = ({ onClose, onCreated }: Pick<FormProps, "onClose" | "onCreated">) => {
  const { client } = usePage();
  const { state } = useLoad("factors", (signal) => client.getFactors({ params: {} }, signal));
  const found = state.phase === "ready" ? state.value : null;
  const { sendConfirmed, dialog } = useConfirmed(found ?? { password: true, passkeys: [], passkeyOrigin: null });
  if (state.phase === "loading") return <Waiting />;
  return (
    <>
      <ApiKeyForm onClose={onClose} onCreated={onCreated} sendConfirmed={sendConfirmed} />
      {dialog}
    </>
  );
};

export default ConfirmedKeyForm;
