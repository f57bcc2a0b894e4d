// Prepares the build context of the image from the packed packages, and builds it.
// Usage: npm run build && npm run image -- [--tool docker] [--tag paraph:VERSION] [-- OPTIONS OF THE TOOL]
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  createBill,
  installPacked,
  installSets,
  packPackages,
  readManifest,
} from "../scripts/packed-packages.ts";

const { name, version } = readManifest("cli");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tool: { type: "string", default: "docker" },
    tag: { type: "string", default: `${name}:${version}` },
  },
});
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

const context = mkdtempSync(join(tmpdir(), "paraph-image-"));
try {
  const app = join(context, "srv");
  const packed = join(context, "packed");
  for (const folder of [app, packed]) mkdirSync(folder);
  const tarballs = packPackages(packed);
  installPacked(
    app,
    installSets.cli.map((each) => tarballs[each]),
  );
  requireLockedContents(app);
  writeFileSync(join(context, "sbom.cdx.json"), JSON.stringify(createBill(app, { name, version })));
  rmSync(packed, { recursive: true });
  // The lockfiles contain the paths of the tarballs.
  for (const file of ["package-lock.json", "node_modules/.package-lock.json"]) rmSync(join(app, file));
  // A configuration beside the packages is an ES module.
  writeFileSync(join(app, "package.json"), `${JSON.stringify({ private: true, type: "module" })}\n`);
  for (const file of ["Dockerfile", "assemble-root.ts"]) copyFileSync(here(file), join(context, file));
  const command = ["build", "--tag", values.tag, ...positionals, context];
  execFileSync(values.tool, command, { stdio: "inherit" });
} finally {
  rmSync(context, { recursive: true, force: true });
}

/** Stops the build if the registry delivered other bytes than those of the lockfile. */
function requireLockedContents(app: string): void {
  type Lock = { readonly packages: Readonly<Record<string, { version?: string; integrity?: string }>> };
  const read = (file: string): Lock["packages"] => (JSON.parse(readFileSync(file, "utf8")) as Lock).packages;
  const toKey = (place: string, { version }: { version?: string }) =>
    `${place.slice(place.lastIndexOf("node_modules/"))}@${version}`;
  const locked = new Map(
    Object.entries(read(here("../package-lock.json"))).map(([place, found]) => [
      toKey(place, found),
      found.integrity,
    ]),
  );
  const ours = new Set(installSets.cli.map((each) => `node_modules/${readManifest(each).name}`));
  const foreign = Object.entries(read(join(app, "node_modules/.package-lock.json"))).filter(
    ([place, found]) =>
      !ours.has(place) && (!found.integrity || locked.get(toKey(place, found)) !== found.integrity),
  );
  if (foreign.length > 0)
    throw new Error(
      `These packages differ from package-lock.json: ${foreign.map(([place]) => place).join(", ")}. Check the registry that npm uses, then build again.`,
    );
}
