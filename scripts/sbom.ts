// Writes a CycloneDX bill of materials for each package. The bill lists everything that `npm install` of that package
// installs. Usage: npm run build && npm run sbom -- FOLDER
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { installPacked, installSets, packageFolders, packPackages, readManifest } from "./packed-packages.ts";

const target = resolve(process.argv[2] ?? "sbom");
mkdirSync(target, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "paraph-sbom-"));
try {
  const tarballs = packPackages(folder);
  for (const each of packageFolders) {
    const { name, version } = readManifest(each);
    const place = join(folder, each);
    mkdirSync(place);
    installPacked(
      place,
      installSets[each].map((needed) => tarballs[needed]),
    );
    const bill = JSON.parse(
      execFileSync("npm", ["sbom", "--sbom-format=cyclonedx"], {
        cwd: place,
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
    const file = join(target, `${name.replace("@", "").replace("/", "-")}-${version}.cdx.json`);
    writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
    console.log(`${file}: ${bill.components.length} components`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
