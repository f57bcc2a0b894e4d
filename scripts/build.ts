// Compiles the packages to JavaScript in dependency order, bundles each for publishing, and bundles the console.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, rmSync, statSync } from "node:fs";
import { basename, extname } from "node:path";
import { bundlePackage } from "./bundle-package.ts";

const assetExtensions = [".sql", ".cedar", ".yaml", ".json", ".png"];

for (const name of ["core", "sdk", "adapters", "server", "dev-servers", "cli"]) {
  const folder = `packages/${name}`;
  rmSync(`${folder}/dist`, { recursive: true, force: true });
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", `${folder}/tsconfig.build.json`], {
    stdio: "inherit",
  });
  await bundlePackage(folder);
  copyAssets(folder);
  // npm packs a licence only from the folder of the package.
  copyFileSync("LICENSE", `${folder}/LICENSE`);
}

// The server delivers the console from a folder of its own package.
execFileSync(process.execPath, ["../../node_modules/vite/bin/vite.js", "build", "--logLevel", "warn"], {
  cwd: "packages/console",
  env: { ...process.env, NODE_ENV: "production" },
  stdio: "inherit",
});

/**
 * Copies the assets that the code reads at run time from its own folder. Other files in a working copy, such as keys, must
 * not reach a published package.
 */
function copyAssets(folder: string): void {
  cpSync(`${folder}/src`, `${folder}/dist`, {
    recursive: true,
    filter: (path) =>
      statSync(path).isDirectory() ? basename(path) !== "testing" : assetExtensions.includes(extname(path)),
  });
}
