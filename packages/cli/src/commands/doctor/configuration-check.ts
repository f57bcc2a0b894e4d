import { basename } from "node:path";
import type { Context } from "../../lib/context.ts";
import type { DoctorCheck } from "./checks.ts";

/** Loads and validates the configuration as `paraph dev` does, and counts its parts. */
export async function checkConfiguration({
  folder,
  environment,
}: Pick<Context, "folder" | "environment">): Promise<DoctorCheck> {
  const name = "configuration";
  try {
    const { readStartableConfiguration } = await import("../../lib/config/configuration.ts");
    const { config, file } = await readStartableConfiguration(folder, environment);
    const [adapters, own] = [Object.keys(config.adapters ?? {}).length, config.capabilities?.length ?? 0];
    const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
    if (file === undefined && adapters === 1)
      return { name, state: "ok", message: "built in: files below ./workspace" };
    return {
      name,
      state: "ok",
      message: `${file === undefined ? "built in" : basename(file)}: ${counted(adapters, "adapter", "adapters")}, ${counted(own, "capability", "capabilities")} of your own`,
    };
  } catch (error) {
    return {
      name,
      state: "fail",
      message: (error as Error).message,
      advice: "fix the configuration, then run `paraph doctor` again",
    };
  }
}
