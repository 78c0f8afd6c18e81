import { registerHooks } from "node:module";
import { readConfig } from "../../server/config/config.ts";
import { announce } from "./control.ts";

/**
 * The real server on a real database, with other models: `serve` has no option for that, so the registry's module is replaced
 * when it is loaded.
 */
const models = new URL("./models.ts", import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "./registry.ts" && context.parentURL?.endsWith("/server/model/live-models.ts") === true
      ? { url: models, shortCircuit: true }
      : next(specifier, context),
});

const [directory = "", databaseUrl = "", titles = "on"] = process.argv.slice(2);
const { serve } = await import("../../server/serve.ts");
const { url } = await serve(
  readConfig({
    STONECHAT_PORT: "0",
    STONECHAT_DATA: directory,
    STONECHAT_DATABASE_URL: databaseUrl,
    STONECHAT_LOG: "warn",
    STONECHAT_TITLES: titles,
  }),
);
announce(url);
