import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineConformanceTest, type Fixture } from "../conformance/conformance-test.ts";
import { terminal } from "./index.ts";
import { openTerminal, perform, snapshotWorkspace, toShellInput } from "./testing.ts";

/** Set the variable to a higher number to test more crash points. */
const crashes = Number(process.env.PARAPH_CONFORMANCE_CRASHES ?? 2);

const secretName = "DEPLOY_TOKEN";
const baseConfig = { workspace: "work", allowRoot: true };
const writeByOther = ({ folder }: Fixture) => writeFile(join(folder, "work", "notes"), "somebody else's");

export default defineConformanceTest({
  name: "shell",
  adapter: terminal({ ...baseConfig, env: { TOKEN: `\${${secretName}}` } }),
  credentials: { [secretName]: "conformance-canary-7" },
  snapshot: async ({ folder }) => snapshotWorkspace(join(folder, "work")),
  async reset({ folder }) {
    await rm(join(folder, "work"), { recursive: true, force: true });
    await mkdir(join(folder, "work", "sub"), { recursive: true });
    await writeFile(join(folder, "work", "notes"), "one\n");
  },
  cases: [
    {
      capability: "shell.run",
      input: toShellInput("echo two >> notes; rmdir sub; printf '\\0' > data; env"),
      changeBasis: writeByOther,
      slow: { input: toShellInput("(setsid sleep 600 &); sleep 600") },
      large: [toShellInput("head -c 1000000 /dev/zero; seq 100000 > large")],
    },
    {
      capability: "shell.look",
      input: { argv: ["cat", "notes"] },
      slow: { input: { argv: ["sleep", "600"] } },
    },
    {
      capability: "shell.restore",
      input: { snapshot: "given" },
      async setUp({ folder }) {
        const [run] = await (await openTerminal(folder, baseConfig)).capabilities();
        await perform(run!, toShellInput("echo two >> notes; rmdir sub; printf '\\0' > data"), {
          call: "given",
        });
      },
      changeBasis: writeByOther,
      crashes,
      // Allows the answer `unsure` after every crash. A crash between the writes of two files leaves a workspace with
      // only some of the changes, and a person must review such a workspace.
      maxUnsureShare: 1,
    },
  ],
});
