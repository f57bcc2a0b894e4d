// Writes a CycloneDX bill of materials for each package. The bill lists everything that `npm install` of that package
// installs. Usage: npm run build && npm run sbom -- FOLDER
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  createBill,
  installPacked,
  installSets,
  packageFolders,
  packPackages,
  readManifest,
} from "./packed-packages.ts";

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
    const bill = createBill(place, { name, version });
    const file = join(target, `${name.replace("@", "").replace("/", "-")}-${version}.cdx.json`);
    writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
    console.log(`${file}: ${bill.components.length} components`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
