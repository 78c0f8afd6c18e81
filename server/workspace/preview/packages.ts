/**
 * Packages that a workspace can use, from the server's node_modules. `whole`: a package of many small files that is bundled once
 * per process.
 */
export const packages: Readonly<Record<string, { readonly whole?: true }>> = {
  react: {},
  "react-dom": {},
  scheduler: {},
  clsx: {},
  "date-fns": {},
  zustand: {},
  "lucide-react": { whole: true },
};

export const packageOf = (spec: string): string => /^(@[^/]+\/)?[^/]+/.exec(spec)?.[0] ?? spec;

export const listPackages = (): string => Object.keys(packages).join(", ");
