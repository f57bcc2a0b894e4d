// Compares a profile with the tools of a server, given as JSON (the response to `tools/list`, or its list of tools).
import { readFile } from "node:fs/promises";
import { loadProfile } from "../packages/adapters/src/mcp/load-profile.ts";
import { findProfileMismatches } from "../packages/adapters/src/mcp/profile/profile-check.ts";

const [named, file] = process.argv.slice(2);
if (named === undefined || file === undefined) {
  process.stderr.write("npm run profile -- PROFILE TOOLS.json\n");
  process.exit(2);
}
const { tools } = await loadProfile(named, process.cwd());
const content = JSON.parse(await readFile(file, "utf8"));
const offered = Array.isArray(content) ? content : (content.result ?? content).tools;
const names: string[] = offered.map(({ name }: { name: string }) => name);
const misfits = findProfileMismatches(tools, offered);
const lines = [
  ...misfits.map(({ tool, message }) => `wrong    ${tool}: ${message}`),
  ...names
    .filter((name) => !Object.hasOwn(tools, name))
    .map((name) => `unsaid   ${name}: no terms, so a write of high risk`),
  ...Object.keys(tools)
    .filter((name) => !names.includes(name))
    .map((name) => `missing  ${name}: not offered`),
];
process.stdout.write(`${[...lines, `${misfits.length} wrong of ${names.length} tools`].join("\n")}\n`);
process.exitCode = misfits.length > 0 ? 1 : 0;
