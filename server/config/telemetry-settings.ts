import { z } from "zod";

/** Settings of telemetry, under the names that OpenTelemetry defines. */
export const telemetrySettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: z
      .string()
      .refine((text) => URL.canParse(text) && /^https?:\/\//.test(text), "must be a URL such as http://localhost:4318")
      .optional(),
    about: "Where traces and metrics are sent as OpenTelemetry: OTLP over HTTP, as JSON. Default: nowhere.",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: z
      .string()
      .transform((text) => text.split(",").flatMap((item) => item.trim() || []))
      .refine(
        (items) => items.every((item) => /^[\w-]+=/.test(item)),
        "must be headers such as x-key=value, separated by commas",
      )
      .default([]),
    about: "Headers of these requests, such as a key: `name=value`, separated by commas.",
    isSecret: true,
  },
  OTEL_SERVICE_NAME: {
    schema: z.string().max(200, "is too long").default("stonechat"),
    about: "Name of this server in traces and metrics.",
  },
  STONECHAT_OTEL_CONTENTS: {
    schema: z
      .enum(["on", "off"], { error: "must be on or off" })
      .transform((value) => value === "on")
      .default(false),
    about:
      "Whether traces contain prompts, answers, and arguments and results of tools. Those of temporary threads are left out.",
  },
} as const;

export type TelemetryConfig = {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly name: string;
  readonly contents: boolean;
  /** Set by tests only: how often spans are sent. */
  readonly flushMs?: number;
};

type Values = { readonly [N in keyof typeof telemetrySettings]: z.infer<(typeof telemetrySettings)[N]["schema"]> };

/** null: telemetry is off. */
export function toTelemetry(values: Values): TelemetryConfig | null {
  const endpoint = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return null;
  const headers = values.OTEL_EXPORTER_OTLP_HEADERS.map((item) => {
    const at = item.indexOf("=");
    return [item.slice(0, at), decode(item.slice(at + 1))] as const;
  });
  return {
    endpoint: endpoint.replace(/\/$/, ""),
    headers: Object.fromEntries(headers),
    name: values.OTEL_SERVICE_NAME,
    contents: values.STONECHAT_OTEL_CONTENTS,
  };
}

/** The values of headers by names for the list of secrets. */
export const toNamedHeaders = (config: TelemetryConfig | null): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(config?.headers ?? {}).map(([name, value]) => [`otlp-${name}`, value]));

/** OpenTelemetry writes a space as `%20`. A value with another percent sign is taken as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
