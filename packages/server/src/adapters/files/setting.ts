import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { z } from "zod";
import { oneSpelling } from "../one-spelling.ts";
import { namesOf } from "./path.ts";
import type { Root } from "./root.ts";

/** What the capabilities of one adapter share. */
export interface Setting {
  readonly name: string;
  readonly root: Root;
  readonly maxBytes: number;
}

export const pathInput = z
  .string()
  .max(4096)
  .overwrite(oneSpelling((path) => namesOf(path).join("/")))
  .describe("relative to the root, with `/` between names");

export const createFolders = z
  .boolean()
  .default(false)
  .describe("make the folders of the path that are missing");

/** To be said before the effect only: from there on, stopping says nothing about what happened. */
export function notStopped(world: ExecutionContext): void {
  if (world.signal.aborted)
    throw new CapabilityError("not-performed", "stopped", "Stopped before anything was done.");
}
