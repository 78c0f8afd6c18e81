import { toDifference } from "../unified.ts";
import { listPackages, packages } from "../preview/packages.ts";
import { addPackage, readPackage, removePackage, versionOf } from "./dependencies.ts";
import { planCall, type BuilderCall } from "./file-snapshot.ts";

const PATH = "package.json";

/** Only changes package.json. Packages are not fetched; the preview has a fixed set. */
export const planAddPackage = (call: BuilderCall, given: { readonly spec: string; readonly dev: boolean }) =>
  planCall(call, { add: given }, async (desk) => {
    const wanted = readPackage(given.spec);
    const file = desk.find(PATH);
    const before = file ? await desk.readText(file) : undefined;
    const after = addPackage(before, wanted, given.dev);
    const was = versionOf(before, wanted.name);
    return {
      ops: [{ do: "write", path: PATH, was: file?.hash ?? null, text: after }],
      text: `Added ${wanted.name}@${wanted.version} to ${PATH}`,
      output: {
        package: wanted.name,
        version: wanted.version,
        ...(was === undefined ? {} : { was }),
        diff: toDifference(before ?? "", after).text,
        preview: tellPreview(wanted.name),
      },
    };
  });

export const planRemovePackage = (call: BuilderCall, given: { readonly name: string }) =>
  planCall(call, { remove: given }, async (desk) => {
    const { name } = readPackage(given.name);
    const file = desk.get(PATH);
    const before = await desk.readText(file);
    const after = removePackage(before, name);
    if (after === undefined) throw new Error(`${PATH} does not list ${name}.`);
    return {
      ops: [{ do: "write", path: PATH, was: file.hash, text: after }],
      text: `Removed ${name} from ${PATH}`,
      output: { package: name, diff: toDifference(before, after).text },
    };
  });

const tellPreview = (name: string): string =>
  Object.hasOwn(packages, name)
    ? "The preview supports it, in its built-in version."
    : `The preview does not support it: nothing is installed, and importing it fails. It supports ${listPackages()}. The entry only matters if the app is built elsewhere.`;
