import { calendarTargets as calendar } from "./calendar.ts";
import { fileTargets as files } from "./files.ts";
import { gitTargets as git } from "./git.ts";
import { httpTargets as http } from "./http.ts";
import { mailTargets as mail } from "./mail.ts";
import { remoteTargets as remote } from "./remote.ts";
import { sqlTargets as sql } from "./sql.ts";
import type { InjectionTarget } from "./target.ts";
import { terminalTargets as terminal } from "./terminal.ts";
import { yamlTargets as yaml } from "./yaml.ts";

export const allTargets: readonly InjectionTarget[] = [
  ...calendar,
  ...files,
  ...git,
  ...http,
  ...mail,
  ...remote,
  ...sql,
  ...terminal,
  ...yaml,
];
