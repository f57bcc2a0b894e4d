import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { clientSettings } from "../../hook/install/client-settings.ts";
import { buildHookCommand } from "../../hook/install/hook-command.ts";
import { checkHooks } from "./hook-checks.ts";

const folder = await mkdtemp(join(tmpdir(), "paraph-hook-checks-"));
const home = join(folder, "home");
const url = "http://127.0.0.1:9";
const context = {
  folder: join(folder, "project"),
  url: undefined,
  environment: { PATH: process.env.PATH, HOME: home, PARAPH_URL: url, PARAPH_KEY: "key" },
  // A busy machine takes seconds to start a hook.
  patienceMs: 120_000,
};
afterAll(() => rm(folder, { recursive: true, force: true }));

async function put(file: string, event: string, command: string) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: "command", command }] }] } }));
}

describe.each(clientSettings)(
  "[TRUST 31] the doctor checks the settings of $name in a project",
  (settings) => {
    const { client, name, beforeEvent } = settings;
    const [, ...ofProject] = settings.files({
      home,
      project: context.folder,
      environment: context.environment,
    });
    const ran = join(folder, `${client}-ran`);
    const own = (more: object = {}) =>
      buildHookCommand(client, { folder: undefined, url, gateways: [], waitSeconds: 300, ...more });

    it.each<[string, string]>([
      ["a command with our words in a comment", `touch ${ran} # hook run ${client}`],
      ["our command behind another", `touch ${ran}; ${own()} || exit 2`],
      ["our command before another", `${own()} || touch ${ran}`],
      ["our command with another in an option", `${own()} --adapter $(touch ${ran}) || exit 2`],
      ["our command with another on its own line", `${own()}\ntouch ${ran}`],
      ["another program with our arguments", own().replace(process.execPath, `${folder}/node`)],
      [
        "our command with a loader",
        own().replace(process.execPath, `${process.execPath} --import=${folder}/x`),
      ],
      ["our command for another Paraph", own({ url: "http://127.0.0.1:10" })],
      ["our command for a Paraph of a folder", own({ url: undefined, folder: context.folder })],
    ])(`${name}: %s is not run`, async (_, command) => {
      for (const file of ofProject) {
        await put(file, beforeEvent, command);
        const found = (await checkHooks(context)).filter((check) => check.name === name);
        await rm(file);
        expect(found).toMatchObject([
          { state: "warn", message: expect.stringContaining("doctor did not run it") },
        ]);
      }
      expect(existsSync(ran)).toBe(false);
    });

    it(`${name}: the command that \`hook install --project\` writes here is run`, async () => {
      for (const file of ofProject) {
        await put(file, beforeEvent, `${own({ adapter: "a gent", gateways: ["x", "y's"] })} || exit 2`);
        const found = (await checkHooks(context)).filter((check) => check.name === name);
        await rm(file);
        expect(found).toMatchObject([
          { state: "fail", message: expect.stringContaining("denies everything") },
        ]);
      }
    });
  },
);
