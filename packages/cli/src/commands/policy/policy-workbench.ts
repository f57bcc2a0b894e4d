import { createPolicyWorkbench, type PolicyWorkbench } from "@paraph/server";
import { prepareConfiguration } from "../../lib/config/configuration.ts";

/** Opens the policies of a folder. The function loads the configuration as `paraph dev` does, and needs no server. */
export async function openPolicyWorkbench(folder: string): Promise<PolicyWorkbench> {
  const { config, source } = await prepareConfiguration(folder);
  return createPolicyWorkbench(config, folder, source);
}
