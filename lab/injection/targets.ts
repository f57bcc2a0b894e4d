import { targets as files } from "./files.ts";
import { targets as git } from "./git.ts";
import { targets as http } from "./http.ts";
import { targets as remote } from "./remote.ts";
import { targets as sql } from "./sql.ts";
import type { Target } from "./target.ts";
import { targets as terminal } from "./terminal.ts";
import { targets as yaml } from "./yaml.ts";

export const targets: readonly Target[] = [
  ...files,
  ...git,
  ...http,
  ...remote,
  ...sql,
  ...terminal,
  ...yaml,
];
