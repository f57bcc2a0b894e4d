import { join } from "node:path";
import { findStateHome } from "@paraph/server/local-record";
import type { Context } from "../context.ts";
import { findParaphFolder } from "../paraph-folder.ts";
import type { TargetParaph } from "./command.ts";

/** Returns the Paraph that a hook installed here asks: the named one, or the one of this folder. Undefined if there is none. */
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
