/**
 * Prints what a German page shows for the texts of its argument, as JSON. A process of its own: the page reads its texts when modules
 * are loaded, and test files share modules. The paths are no literals because the types of the page are not those of the tests.
 */
import de from "../../web/languages/de.ts";
import { setLanguage } from "../../web/strings/language.ts";

setLanguage("de", "de-DE", de);
const files: Readonly<Record<string, string>> = {
  toActText: "labels/acts.ts",
  titleOf: "labels/tools.ts",
  toPageText: "labels/notices.ts",
  toSentence: "lib/error-text.ts",
};
type Module = Readonly<Record<string, (value: unknown) => string>>;

const texts = JSON.parse(process.argv[2] ?? "[]") as readonly (readonly [string, unknown])[];
const shown: (string | undefined)[] = [];
for (const [name, value] of texts) {
  const module = (await import(`../../web/${files[name]}`)) as Module;
  shown.push(module[name]?.(value));
}
process.stdout.write(JSON.stringify(shown));
