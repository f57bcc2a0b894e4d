import type { ProcessCommand } from "./command.ts";
import { searchPath } from "./search-path.ts";

/**
 * Returns the whole environment. Outside a sandbox, `HOME` names a folder that does not exist, because settings in a
 * real one could change the program's behavior.
 */
export function toProcessEnvironment({ env, sandbox }: ProcessCommand): Record<string, string> {
  const home = sandbox ? (sandbox.home ?? "/tmp") : "/nonexistent";
  return { PATH: searchPath.join(":"), HOME: home, LANG: "C.UTF-8", ...env };
}
