import { isObjectId } from "../refs/ref-name.ts";
import type { RemoteRepository } from "./with-remote.ts";

/** Reads the current branches of the remote. */
export async function readRemoteBranches({
  remote,
  run,
}: RemoteRepository): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await run(["ls-remote", "--heads", "--refs", "--end-of-options", remote.url], {
    what: "Reading the remote's branches",
  });
  const branches = new Map<string, string>();
  for (const line of stdout.toString("utf8").split("\n")) {
    const [oid, ref] = line.split("\t");
    if (ref?.startsWith("refs/heads/") && isObjectId(oid!)) branches.set(ref, oid!);
  }
  return branches;
}
