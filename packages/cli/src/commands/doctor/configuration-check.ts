import { basename, dirname, resolve } from "node:path";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { findLocalServer } from "../../lib/api/connection.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { Context } from "../../lib/context.ts";
import type { DoctorCheck } from "./checks.ts";

/**
 * Loads and validates the configuration as `paraph dev` does, and counts its parts. Also checks whether a `paraph dev`
 * that runs in this folder started with the same configuration.
 */
export async function checkConfiguration(
  context: Pick<Context, "folder" | "environment">,
): Promise<DoctorCheck[]> {
  const { folder, environment } = context;
  try {
    const { inspectConfiguration, readStartableConfiguration } = await import(
      "../../lib/config/configuration.ts"
    );
    const configuration = await readStartableConfiguration(folder, environment);
    const { faults, digest } = await inspectConfiguration(configuration, folder);
    const check = toConfigurationCheck(configuration, faults, folder);
    return [
      check.state === "ok" ? ((await checkPolicies(configuration, folder)) ?? check) : check,
      ...(await checkLoadedConfiguration(context, digest)),
    ];
  } catch (error) {
    return [
      {
        name,
        state: "fail",
        message: (error as Error).message,
        advice: fixAdvice,
      },
    ];
  }
}

/**
 * Checks the names in rules and policies against the capabilities of the adapters, as `paraph dev` does after it has
 * opened them. Returns undefined if there is no fault, or if an adapter cannot be opened. Another check reports the
 * adapter.
 */
async function checkPolicies(
  { config, source }: Configuration,
  folder: string,
): Promise<DoctorCheck | undefined> {
  const { createPolicyWorkbench, listCedarFiles } = await import("@paraph/server");
  if (!config.rules?.length && (config.policies ?? listCedarFiles(folder)).length === 0) return undefined;
  const workbench = await createPolicyWorkbench(config, folder, source).catch((error) => {
    if (error.code === "adapter-invalid") return undefined;
    throw error;
  });
  const faults = (workbench?.lint() ?? []).filter(({ weight }) => weight === "error");
  if (faults.length === 0) return undefined;
  const lines = faults.map(({ file, line, sentence }) =>
    escapeInvisible(`${file}${line === undefined ? "" : `:${line}`}: ${sentence}`),
  );
  return { name, state: "fail", message: lines.join("\n"), advice: fixAdvice };
}

const fixAdvice = "fix the configuration, then run `paraph doctor` again";
const name = "configuration";
/** The name of the check that reports a configuration which the running server has not loaded. */
export const restartCheck = "restart";

function toConfigurationCheck(
  { config, file }: Configuration,
  faults: readonly string[],
  folder: string,
): DoctorCheck {
  if (faults.length > 0)
    return {
      name,
      state: "fail",
      message: `Paraph leaves out the capabilities whose definitions have errors:${faults.map((fault) => `\n  - ${escapeInvisible(fault)}`).join("")}`,
      advice: "fix the files, then press Enter in the terminal of `paraph dev`, or restart the server",
    };
  const [adapters, own] = [Object.keys(config.adapters ?? {}).length, config.capabilities?.length ?? 0];
  const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
  if (file === undefined && adapters === 1)
    return {
      name,
      state: "ok",
      message: `no paraph.config.ts in ${folder}, so Paraph would serve the files below ./workspace`,
    };
  return {
    name,
    state: "ok",
    message: `${file === undefined ? "built in" : basename(file)}: ${counted(adapters, "adapter", "adapters")}, ${counted(own, "capability", "capabilities")} of your own`,
  };
}

async function checkLoadedConfiguration(
  { folder, environment }: Pick<Context, "folder" | "environment">,
  digest: string,
): Promise<DoctorCheck[]> {
  // Another check reports a record that cannot be read.
  const local = await findLocalServer(folder, environment).catch(() => undefined);
  if (local?.configuration === undefined || dirname(local.folder) !== resolve(folder)) return [];
  if (local.configuration === digest) return [];
  return [
    {
      name: restartCheck,
      state: "warn",
      message: "the running server has not loaded this configuration",
      advice: "press Enter in the terminal of `paraph dev`",
    },
  ];
}
