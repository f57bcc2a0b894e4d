import { createPolicyWorkbench, type PolicyWorkbench } from "@paraph/server";
import { prepareConfiguration } from "../../lib/config/configuration.ts";

/** The policies of a folder, its configuration loaded as `paraph dev` does; needs no server. */
export async function openPolicyWorkbench(folder: string): Promise<PolicyWorkbench> {
  const { config } = await prepareConfiguration(folder);
  return createPolicyWorkbench(config, folder);
}
