import { policyWorkbench, type Workbench } from "@paraph/server";
import { configurationOf } from "./dev/configuration.ts";

/** The policies of a folder, its configuration loaded as `paraph dev` does; needs no server. */
export async function workbenchOf(folder: string): Promise<Workbench> {
  const { config } = await configurationOf(folder);
  return policyWorkbench(config, folder);
}
