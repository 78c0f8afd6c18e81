import { toDifference } from "../unified.ts";
import { listPackages, packages } from "../preview/packages.ts";
import { addPackage, readPackage, removePackage, versionOf } from "./dependencies.ts";
import { planCall, type Call } from "./file-snapshot.ts";

const PATH = "package.json";

/** Written down in package.json, and nothing else: packages are not fetched, and the preview has the few it has. */
export const planAddPackage = (call: Call, given: { readonly spec: string; readonly dev: boolean }) =>
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

export const planRemovePackage = (call: Call, given: { readonly name: string }) =>
  planCall(call, { remove: given }, async (desk) => {
    const { name } = readPackage(given.name);
    const file = desk.get(PATH);
    const before = await desk.readText(file);
    const after = removePackage(before, name);
    if (after === undefined) throw new Error(`${PATH} does not name ${name}.`);
    return {
      ops: [{ do: "write", path: PATH, was: file.hash, text: after }],
      text: `Removed ${name} from ${PATH}`,
      output: { package: name, diff: toDifference(before, after).text },
    };
  });

const tellPreview = (name: string): string =>
  Object.hasOwn(packages, name)
    ? "The preview has it, in the version that comes with it."
    : `The preview does not have it: nothing is installed here, and an import of it fails there. It has ${listPackages()}. It is written down for whoever builds the app elsewhere.`;
