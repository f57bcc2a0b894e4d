import { type MigrationStep, migrateDatabase, provision } from "@paraph/server";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { explainDatabase, requireOwnerUrl } from "./owner-database.ts";

export interface MigrateOptions {
  readonly database?: string;
  readonly dryRun?: boolean;
  readonly wait: number;
}

/** Migrates the database, and creates the login of DATABASE_URL with the rights that `paraph start` needs. */
export async function migrate(context: Context, options: MigrateOptions): Promise<ExitCode> {
  const { output, environment } = context;
  const ownerUrl = requireOwnerUrl(context, options.database);
  const dryRun = options.dryRun === true;
  const steps = await migrateDatabase(ownerUrl, {
    dryRun,
    allowDowngrade: environment.PARAPH_ALLOW_DOWNGRADE === "1",
    maxWaitMs: options.wait * 1_000,
    onStep: (step) => {
      if (!context.json) output.info(`  ${formatStep(step)}`);
    },
  }).catch(explainDatabase(ownerUrl));
  const login = dryRun ? undefined : await createLogin(ownerUrl, environment.DATABASE_URL);
  if (context.json) output.json({ steps, ...(login !== undefined && { login }) });
  else {
    if (dryRun) for (const step of steps) output.data(formatStep(step));
    output.info(summarize(steps, dryRun));
    if (login !== undefined) output.info(`The login \`${login}\` can run \`paraph start\`.`);
  }
  return exitCode.ok;
}

/** Creates the login that `paraph start` uses. It belongs to neither of Paraph's roles until it switches to one. */
async function createLogin(ownerUrl: string, url: string | undefined): Promise<string | undefined> {
  const { username = "", password = "" } = (url && URL.parse(url)) || {};
  if (username === "" || password === "") return undefined;
  const name = decodeURIComponent(username);
  await provision(ownerUrl, (p) => p.createLogin(name, decodeURIComponent(password))).catch(
    explainDatabase(ownerUrl),
  );
  return name;
}

function formatStep({ kind, name }: MigrationStep): string {
  if (kind === "functions") return `functions of generation ${name}`;
  return kind === "index" ? `index ${name}` : name;
}

function summarize(steps: readonly MigrationStep[], dryRun: boolean): string {
  if (steps.length === 0) return "The database is up to date.";
  const count = `${steps.length} ${steps.length === 1 ? "step" : "steps"}`;
  return dryRun ? `${count} to run. Nothing was changed.` : `The database is migrated, in ${count}.`;
}
