import type { Bug } from "./bug.ts";

const checkConfig = (title: string) => ({ file: "packages/server/src/check-config.test.ts", title });

/** Mutations of the configuration's checks. */
export const configBugs: readonly Bug[] = [
  {
    name: "ignore misspelt keys of the configuration",
    file: "packages/server/src/config-schema.ts",
    find: "z.strictObject(config).partial()",
    replace: "z.looseObject(config).partial()",
    caughtBy: checkConfig("names file, line and key of a misspelt key, and the key that was meant"),
    quick: true,
  },
  {
    name: "ignore faults in an adapter's options",
    file: "packages/server/src/check-config.ts",
    find: "return [...shape, ...options, ...unknown];",
    replace: "return [...shape, ...unknown];",
    caughtBy: checkConfig("finds a misspelt option of files"),
  },
  {
    name: "start without the secrets that are named",
    file: "packages/server/src/check-config.ts",
    find: "const secrets = needsSecrets ? secretFaults(part, folder, environment) : [];",
    replace: "const secrets: never[] = [];",
    caughtBy: checkConfig("a secret that is nowhere is a fault, one that any tenant has is none"),
  },
];
