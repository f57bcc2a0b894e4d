import { join } from "node:path";
import { findStateHome } from "@paraph/server/local-record";
import { findParaphFolder } from "../../lib/config/paraph-folder.ts";
import type { Context } from "../../lib/context.ts";
import type { TargetParaph } from "./hook-command.ts";

/**
 * Returns the Paraph that a hook asks if the hook is installed from this folder. If the user names a Paraph, returns
 * the named one. If not, returns the Paraph of this folder, or undefined if the folder has none.
 */
export function resolveTargetParaph({
  folder,
  url,
  environment,
}: Pick<Context, "environment" | "folder" | "url">): TargetParaph | undefined {
  const named = url ?? environment.PARAPH_URL;
  if (named !== undefined) return { url: named, folder: undefined };
  const found = findParaphFolder(folder);
  if (found === undefined) return undefined;
  return { url: undefined, folder: join(found, ".."), state: join(findStateHome(environment), "..") };
}
