import { join } from "node:path";
import { stateHome } from "@paraph/server/local-record";
import type { Context } from "../context.ts";
import { paraphFolder } from "../paraph-folder.ts";
import type { AskedParaph } from "./command.ts";

/** Returns the Paraph that a hook installed here asks: the named one, or the one of this folder. Undefined if there is none. */
export function chosenParaph({
  folder,
  url,
  environment,
}: Pick<Context, "environment" | "folder" | "url">): AskedParaph | undefined {
  const named = url ?? environment.PARAPH_URL;
  if (named !== undefined) return { url: named, folder: undefined };
  const found = paraphFolder(folder);
  if (found === undefined) return undefined;
  return { url: undefined, folder: join(found, ".."), state: join(stateHome(environment), "..") };
}
