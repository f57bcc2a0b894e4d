import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineTrial, type Ground } from "../conformance/trial.ts";
import { terminal } from "./index.ts";
import { openIn, perform, picture, sh } from "./testing.ts";

/** The lab sweeps more finely. */
const crashes = Number(process.env.PARAPH_TRIAL_CRASHES ?? 2);

const secret = "DEPLOY_TOKEN";
const configured = { workspace: "work", allowRoot: true };
const somebodyWrites = ({ folder }: Ground) => writeFile(join(folder, "work", "notes"), "somebody else's");

export default defineTrial({
  name: "shell",
  adapter: terminal({ ...configured, env: { TOKEN: `\${${secret}}` } }),
  credentials: { [secret]: "conformance-canary-7" },
  picture: async ({ folder }) => picture(join(folder, "work")),
  async reset({ folder }) {
    await rm(join(folder, "work"), { recursive: true, force: true });
    await mkdir(join(folder, "work", "sub"), { recursive: true });
    await writeFile(join(folder, "work", "notes"), "one\n");
  },
  cases: [
    {
      capability: "shell.run",
      input: sh("echo two >> notes; rmdir sub; printf '\\0' > data; env"),
      move: somebodyWrites,
      slow: { input: sh("(setsid sleep 600 &); sleep 600") },
      large: [sh("head -c 1000000 /dev/zero; seq 100000 > large")],
    },
    {
      capability: "shell.look",
      input: { argv: ["cat", "notes"] },
      slow: { input: { argv: ["sleep", "600"] } },
    },
    {
      capability: "shell.restore",
      input: { snapshot: "given" },
      async given({ folder }) {
        const [run] = await (await openIn(folder, configured)).capabilities();
        await perform(run!, sh("echo two >> notes; rmdir sub; printf '\\0' > data"), { call: "given" });
      },
      move: somebodyWrites,
      crashes,
      // Killed between two files, it leaves a workspace that is neither: then a person looks.
      unsure: 1,
    },
  ],
});
