import { ActivitySection } from "../people/activity-section.tsx";
import { PeopleSection } from "../people/people-section.tsx";
import { AccountSection } from "./account-section.tsx";

/** The sections that exist only with accounts: one chunk. */
const AccountSections = ({ section }: { readonly section: "account" | "people" | "activity" }) => {
  if (section === "people") return <PeopleSection />;
  return section === "activity" ? <ActivitySection /> : <AccountSection />;
};

export default AccountSections;
