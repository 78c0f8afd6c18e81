import type { MemoryField } from "../../../protocol/memory.ts";

export const memoryFields: Readonly<Record<MemoryField, string>> = {
  name: "Name",
  age: "Age",
  preferences: "Preferences",
  location: "Location",
  interests: "Interests",
  tendencies: "Tendencies",
  notes: "Notes",
  extra: "Extra",
};
