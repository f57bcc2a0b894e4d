import type { ProcessCommand } from "./command.ts";
import { searchPath } from "./search-path.ts";

/**
 * The whole environment. Outside a sandbox the home is one that does not exist: in one that does, somebody's settings
 * might decide what the program does.
 */
export function toProcessEnvironment({ env, sandbox }: ProcessCommand): Record<string, string> {
  const home = sandbox ? (sandbox.home ?? "/tmp") : "/nonexistent";
  return { PATH: searchPath.join(":"), HOME: home, LANG: "C.UTF-8", ...env };
}
