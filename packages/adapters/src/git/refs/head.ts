import { repositoryRefusedFault } from "../repository/layout.ts";
import { isObjectId } from "./ref-name.ts";

/** The worktree's HEAD: a branch, which need not exist yet, or a detached commit. */
export type Head =
  | { readonly kind: "branch"; readonly ref: string; readonly branch: string }
  | { readonly kind: "detached"; readonly commit: string };

export function parseHead(content: Buffer | undefined): Head {
  const text = content?.toString("utf8").trim() ?? "";
  const ref = /^ref:\s*(refs\/heads\/(\S+))$/.exec(text);
  if (ref) return { kind: "branch", ref: ref[1]!, branch: ref[2]! };
  if (isObjectId(text)) return { kind: "detached", commit: text };
  throw repositoryRefusedFault("its HEAD is neither a branch nor a commit");
}
