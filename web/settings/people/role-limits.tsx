import { roles } from "../../../protocol/roles.ts";
import { useLoad } from "../../lib/use-load.ts";
import { usePage } from "../../state/page.ts";
import { personSettings } from "../../strings/settings/person.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { LimitsForm } from "./limits-form.tsx";

const strings = personSettings.limits;

/** The limits of each role. */
export const RoleLimits = () => {
  const { client } = usePage();
  const { state, reload } = useLoad("role-limits", (signal) => client.listRoleLimits({ params: {} }, signal));
  return (
    <Section title={strings.title}>
      <Quiet>{strings.about}</Quiet>
      {state.phase === "loading" && <Waiting />}
      {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
      {state.phase === "ready" && (
        <ul className="mt-1 grid gap-2">
          {roles.toReversed().map((role) => (
            <li key={role} className="rounded-2xl bg-raised px-4 py-3">
              <Disclosure label={strings.ofRole[role]}>
                <div className="pt-3">
                  <LimitsForm
                    label={strings.ofRole[role]}
                    limits={state.value[role]}
                    onSave={(limits) => client.setRoleLimits({ params: { role }, body: limits })}
                  />
                </div>
              </Disclosure>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
};
