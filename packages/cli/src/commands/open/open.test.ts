import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { runCli } from "../../testing/run-cli.ts";
import { findBrowserCommand } from "./open.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-open-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

const url = "https://paraph.example.com";
const run = (args: readonly string[], environment: Record<string, string> = {}) =>
  runCli(["open", ...args], { folder, environment: { PARAPH_URL: url, ...environment } });

it.each([
  [[], "/approvals"],
  [["call_01k2m4x7p9"], "/calls/call_01k2m4x7p9"],
  [["ask_01k2m4x7p9"], "/approvals/ask_01k2m4x7p9"],
])("`paraph open --print` prints the address of the page: %j", async (args, path) => {
  expect(await run([...args, "--print"])).toEqual({ code: 0, stdout: `${url}${path}\n`, stderr: "" });
});

it("prints the address if there is no desktop, and refuses what is not an id", async () => {
  expect(await run([])).toMatchObject({
    code: 0,
    stdout: `${url}/approvals\n`,
    stderr: expect.stringContaining("There is no browser here."),
  });
  expect(await run(["../admin"])).toMatchObject({ code: 2, stdout: "" });
});

it.runIf(process.platform === "linux")("opens the address with the desktop's program", async () => {
  const opened = join(folder, "opened");
  const script = `#!${process.execPath}\nconst { writeFileSync, renameSync } = require("node:fs");
writeFileSync("${opened}.new", process.argv.slice(2).join(" "));\nrenameSync("${opened}.new", "${opened}");\n`;
  await writeFile(join(folder, "opener.cjs"), script);
  await chmod(join(folder, "opener.cjs"), 0o755);
  await symlink("opener.cjs", join(folder, "xdg-open"));
  expect(await run([], { DISPLAY: ":0", PATH: folder })).toEqual({
    code: 0,
    stdout: "",
    stderr: `Opening ${url}/approvals\n`,
  });
  await expect.poll(() => readFile(opened, "utf8").catch(() => undefined)).toBe(`${url}/approvals`);
});

it("chooses the program of each system, without a shell", () => {
  expect(findBrowserCommand("darwin", {}, url)).toEqual(["open", url]);
  expect(findBrowserCommand("win32", {}, url)).toEqual(["rundll32", "url.dll,FileProtocolHandler", url]);
  expect(findBrowserCommand("linux", { WAYLAND_DISPLAY: "wayland-0" }, url)).toEqual(["xdg-open", url]);
  expect(findBrowserCommand("linux", {}, url)).toBeUndefined();
});
