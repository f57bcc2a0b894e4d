// Packs our packages and installs them as a user does, for tests and for the bills of materials.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

export const packageFolders = ["core", "sdk", "adapters", "server", "dev-servers", "cli"] as const;
export type PackageFolder = (typeof packageFolders)[number];

/** The packages of this repository that each package needs in an install, itself included. */
export const installSets: Readonly<Record<PackageFolder, readonly PackageFolder[]>> = {
  core: ["core"],
  sdk: ["core", "sdk"],
  adapters: ["core", "adapters"],
  server: ["core", "adapters", "server"],
  "dev-servers": ["core", "adapters", "server", "dev-servers"],
  cli: ["core", "sdk", "adapters", "server", "cli"],
};

export interface PackageManifest {
  readonly name: string;
  readonly version: string;
}

export function readManifest(folder: PackageFolder): PackageManifest {
  return JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
}

/** Packs all packages into the folder. They must be built before. Returns the tarball of each package. */
export function packPackages(into: string): Readonly<Record<PackageFolder, string>> {
  execFileSync("npm", ["pack", "--workspaces", "--pack-destination", into], { cwd: root, stdio: "pipe" });
  return Object.fromEntries(
    packageFolders.map((folder) => {
      const { name, version } = readManifest(folder);
      return [folder, join(into, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`)];
    }),
  ) as Record<PackageFolder, string>;
}

/**
 * Installs packages into an empty folder without install scripts. Every dependency has the version of our lockfile, so
 * that a new release of a dependency does not change the result.
 */
export function installPacked(folder: string, packages: readonly string[]): void {
  const manifest = { private: true, name: "packed", version: "0.0.0", overrides: readLockedVersions() };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...options, ...packages], { cwd: folder, stdio: "pipe" });
}

/** Returns the CycloneDX bill of materials of an install, with the given package as its subject. */
export function createBill(folder: string, { name, version }: PackageManifest) {
  const bill = JSON.parse(
    execFileSync("npm", ["sbom", "--sbom-format=cyclonedx"], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 1 << 28,
    }),
  );
  // npm describes the install folder as the subject of the bill. The correct subject is the package.
  bill.metadata.component = {
    ...bill.metadata.component,
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
  };
  // Our own packages come from tarballs, whose paths mean nothing elsewhere.
  for (const component of bill.components)
    component.externalReferences = component.externalReferences?.filter(
      ({ url }: { readonly url: string }) => !url.startsWith("file:"),
    );
  return bill;
}

function readLockedVersions(): Record<string, string> {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  return Object.fromEntries(
    Object.entries(packages).flatMap(([place, { version }]) => {
      const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place)?.[1];
      return name !== undefined && version !== undefined ? [[name, version]] : [];
    }),
  );
}
