const column = ["alter table model_settings add column vision integer"];

/** Whether the user says that a model accepts images; null: as its server or its name says. */
export const modelImages = { sqlite: column, postgres: column } as const;
