import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** PARAPH_TEST_INSTALL names a `node_modules` folder, such as that of an unpacked image, whose packages are tested. */
const install = process.env.PARAPH_TEST_INSTALL;
const source = (path: string) => {
  const installed = `${install}/@paraph/${path.replace("/src/", "/dist/").replace(/\.ts$/, ".js")}`;
  const isInstalled = install !== undefined && (path.includes("$1") || existsSync(installed));
  return isInstalled ? installed : fileURLToPath(new URL(`./packages/${path}`, import.meta.url));
};

const testFiles = ["packages/*/src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"];
/** The files that replace a module by another, which other files must not see. */
const replacesModules = globSync(testFiles, { exclude: ["**/node_modules/**"] }).filter((file) =>
  readFileSync(file, "utf8").includes("vi.mock("),
);

/** Starts the conformance tests first. Vitest would start them last, because their files are short. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => moduleId.endsWith("/conformance.test.ts");
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  // Tests run the sources; the packed tarballs are tested apart, as a user installs them.
  resolve: {
    alias: [
      { find: /^@paraph\/core\/testing$/, replacement: source("core/src/testing/index.ts") },
      { find: /^@paraph\/core\/escape-invisible$/, replacement: source("core/src/escape-invisible.ts") },
      { find: /^@paraph\/core\/outcome-codes$/, replacement: source("core/src/outcome-codes/index.ts") },
      { find: /^@paraph\/core\/split-lines$/, replacement: source("core/src/split-lines.ts") },
      { find: /^@paraph\/core\/value-references$/, replacement: source("core/src/plan/value-references.ts") },
      { find: /^@paraph\/core\/verify-receipt$/, replacement: source("core/src/verify-receipt.ts") },
      { find: /^@paraph\/core\/intents$/, replacement: source("core/src/intents/index.ts") },
      { find: /^@paraph\/core$/, replacement: source("core/src/index.ts") },
      { find: /^@paraph\/sdk\/ai-sdk$/, replacement: source("sdk/src/ai-sdk/index.ts") },
      { find: /^@paraph\/sdk\/api$/, replacement: source("sdk/src/api.ts") },
      { find: /^@paraph\/sdk\/serve$/, replacement: source("sdk/src/serve/index.ts") },
      { find: /^@paraph\/sdk\/serve\/node$/, replacement: source("sdk/src/serve/node.ts") },
      { find: /^@paraph\/sdk$/, replacement: source("sdk/src/index.ts") },
      { find: /^@paraph\/server\/local-record$/, replacement: source("server/src/start/local-record.ts") },
      { find: /^@paraph\/server\/signing-keys$/, replacement: source("server/src/system/signing-keys.ts") },
      { find: /^@paraph\/adapters\/mcp\/document$/, replacement: source("adapters/src/mcp/document.ts") },
      { find: /^@paraph\/adapters\/([a-z-]+)$/, replacement: source("adapters/src/$1/index.ts") },
      { find: /^@paraph\/dev-servers\/local$/, replacement: source("dev-servers/src/local/start-local.ts") },
      { find: /^@paraph\/dev-servers$/, replacement: source("dev-servers/src/index.ts") },
      { find: /^@paraph\/server$/, replacement: source("server/src/main.ts") },
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "core",
          include: ["packages/core/src/**/*.test.ts"],
          // Core holds no state between tests, so its files share the modules that they import.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "system",
          globalSetup: "test/global-setup.ts",
          include: testFiles,
          exclude: ["packages/core/**", "**/node_modules/**", ...replacesModules],
          // These files share modules too, because loading the server takes longer than most of their tests.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "isolated",
          globalSetup: "test/global-setup.ts",
          include: replacesModules,
        },
      },
    ],
    sequence: { sequencer: LongestFirst },
    // `npm run coverage` measures core by its own tests. Other packages are tested by processes, which V8 cannot count.
    coverage: {
      provider: "v8",
      include: ["packages/core/src/**/*.ts"],
      // The model store and the laws that packages/core/src/testing offers to tests are no part of what runs.
      exclude: ["**/*.test.ts", "packages/core/src/testing/**"],
      reporter: ["text-summary", "json-summary"],
      thresholds: { lines: 95, branches: 95, functions: 95, statements: 95 },
    },
    setupFiles: ["test/no-orphans.ts", "test/fixed-seed.ts", "test/restored-environment.ts"],
    pool: "forks",
    // One more than CI has cores, because tests wait for servers for about a third of the time.
    maxWorkers: 3,
    // Limits for hangs, not claims about speed: a busy machine must not fail a test.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
  },
});
