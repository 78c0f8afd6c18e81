/** Values of attributes as OTLP writes them in JSON. */
export type Attributes = Readonly<Record<string, string | number>>;

export const toAttributes = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }));

function toValue(value: string | number) {
  if (typeof value === "string") return { stringValue: value.toWellFormed() };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

export const toResource = (name: string, version: string) => ({
  attributes: toAttributes({ "service.name": name, "service.version": version }),
});
