import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Adapter } from "@paraph/core";
import { expect, it } from "vitest";
import { files } from "./index.ts";
import { createFilesFixture } from "./testing.ts";

const guide = readFileSync(new URL("../../../../docs/adapters/files.md", import.meta.url), "utf8");

it("docs/adapters/files.md has a configuration that opens, and its table matches the offered capabilities", async () => {
  await using fixture = await createFilesFixture();
  await mkdir(join(fixture.root, "workspace"));
  const written = /^```ts\n(.*?)^```/ms
    .exec(guide)![1]!
    .replace(/^import .*$/gm, "")
    .replace("export default", "return");
  const { adapters } = new Function("defineConfig", "files", written)((config: object) => config, files) as {
    adapters: { files: Adapter };
  };
  const open = await adapters.files.open({
    name: "files",
    folder: fixture.root,
    signal: new AbortController().signal,
    announceChange: () => {},
    credential: () => Promise.reject(new Error("no credentials here")),
  });
  const offered = (await open.capabilities()).map(({ contract: { name, effect, idempotency } }) =>
    [name, effect, idempotency].join(" "),
  );
  const rows = [...guide.matchAll(/^\| (`files\.[^|]*) \| (\w+) \| (\w+) \|/gm)].flatMap(
    ([, names = "", effect, idempotency]) =>
      [...names.matchAll(/`([\w.]+)`/g)].map(([, name]) => [name, effect, idempotency].join(" ")),
  );
  expect(rows.sort()).toEqual(offered.sort());
});
