import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sourceEnvironment } from "../../test/support/servers/source-environment.ts";
import { UnmetRequirement } from "../lab.ts";
import { linkModules } from "../link-modules.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const generationFile = "packages/server/src/postgres/sql/generation.json";

/** An earlier version of Paraph, in a workspace of its own. It uses the installed modules of this version. */
export interface PreviousVersion {
  readonly commit: string;
  readonly workspace: string;
  /** Migrates a database to this version's schema. */
  migrate(ownerUrl: string): Promise<void>;
  remove(): Promise<void>;
}

/** Checks out an earlier version. Without `commit`, it is the last commit with another generation of the schema. */
export async function checkOutPrevious(commit?: string): Promise<PreviousVersion> {
  const found = await resolveCommit(commit ?? `${await findGenerationChange()}^`);
  const workspace = await mkdtemp(join(tmpdir(), "paraph-previous-"));
  const archive = join(workspace, "previous.tar");
  await run("git", ["archive", "--format=tar", "-o", archive, found], { cwd: root });
  await run("tar", ["-xf", archive, "-C", workspace]);
  await rm(archive);
  await linkModules(workspace);
  return {
    commit: found,
    workspace,
    async migrate(ownerUrl) {
      const script = `import { migrateDatabase } from "./packages/server/src/postgres/index.ts";
        await migrateDatabase(process.env.OWNER_URL);`;
      const words = ["--conditions=paraph-source", "--no-warnings", "--input-type=module", "-e", script];
      const env = { ...sourceEnvironment, OWNER_URL: ownerUrl };
      await run(process.execPath, words, { cwd: workspace, env });
    },
    remove: () => rm(workspace, { recursive: true, force: true }),
  };
}

/** Returns the newest commit that changed the generation of the schema. */
async function findGenerationChange(): Promise<string> {
  const { stdout } = await run("git", ["log", "-1", "--format=%H", "--", generationFile], { cwd: root });
  return stdout.trim();
}

async function resolveCommit(name: string): Promise<string> {
  try {
    const words = ["rev-parse", "--verify", "--short=12", `${name}^{commit}`];
    return (await run("git", words, { cwd: root })).stdout.trim();
  } catch (error) {
    throw new UnmetRequirement(
      `The repository has no commit \`${name}\`. Fetch its whole history, or name a commit with \`--from\`.`,
      { cause: error },
    );
  }
}
