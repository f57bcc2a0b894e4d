// Compiles the packages to JavaScript in dependency order, for publishing.
import { execFileSync } from "node:child_process";
import { cpSync, rmSync, statSync } from "node:fs";
import { basename } from "node:path";

for (const name of ["core", "sdk", "server", "cli"]) {
  const folder = `packages/${name}`;
  rmSync(`${folder}/dist`, { recursive: true, force: true });
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", `${folder}/tsconfig.build.json`], {
    stdio: "inherit",
  });
  copyAssets(folder);
}

/** Copies the SQL, Cedar and YAML files of a package, because its code reads them at run time from its own folder. */
function copyAssets(folder: string): void {
  const isAsset = (path: string) =>
    statSync(path).isDirectory() ? basename(path) !== "testing" : !path.endsWith(".ts");
  cpSync(`${folder}/src`, `${folder}/dist`, { recursive: true, filter: isAsset });
}
