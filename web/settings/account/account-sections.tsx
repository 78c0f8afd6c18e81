import { ActivitySection } from "../people/activity-section.tsx";
import { HealthSection } from "../people/health-section.tsx";
import { PeopleSection } from "../people/people-section.tsx";
import { AccountSection } from "./account-section.tsx";

type Props = { readonly section: "account" | "people" | "activity" | "health" };

/** The sections that exist only with accounts: one chunk. */
const AccountSections = ({ section }: Props) => {
  switch (section) {
    case "people":
      return <PeopleSection />;
    case "activity":
      return <ActivitySection />;
    case "health":
      return <HealthSection />;
    case "account":
      return <AccountSection />;
  }
};

export default AccountSections;
