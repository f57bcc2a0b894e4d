import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFilesCapabilities } from "./index.ts";
import { openRoot } from "./paths/root.ts";
import { createFilesFixture, performCapability } from "./testing.ts";

describe("files", () => {
  it("prefixes its capabilities with the adapter's name", async () => {
    await using fixture = await createFilesFixture();
    const facts = (name?: string) =>
      createFilesCapabilities({ root: fixture.root, ...(name && { name }) }).map(({ contract }) => [
        contract.name,
        contract.effect,
        contract.idempotency,
      ]);
    expect(facts()).toEqual([
      ["files.read", "read", "natural"],
      ["files.list", "read", "natural"],
      ["files.write", "write", "probe"],
      ["files.move", "write", "probe"],
      ["files.delete", "destroy", "probe"],
      ["files.copy", "write", "probe"],
      ["files.mkdir", "write", "probe"],
    ]);
    expect(facts("notes").every(([name]) => name!.startsWith("notes."))).toBe(true);
  });

  it("the undo of a write calls the write of the same adapter", async () => {
    await using fixture = await createFilesFixture();
    const write = createFilesCapabilities({ root: fixture.root, name: "notes" })[2]!;
    const output = { bytes: 1, sha256: "", created: false, previous: { content: "old", encoding: "utf8" } };
    expect(write.undo?.({ path: "a", content: "b" }, output)).toEqual({
      capability: "notes.write",
      input: { path: "a", content: "old", encoding: "utf8", replaces: "" },
    });
  });

  it("two adapters share no locks, because each lock key starts with the adapter's name", async () => {
    await using fixture = await createFilesFixture();
    const input = { path: "a", from: "a", to: "b" };
    const locks = (name: string) =>
      createFilesCapabilities({ root: fixture.root, name })
        .slice(2)
        .map((capability) => capability.locks(input));
    expect(locks("files")).toEqual([
      ["files:a"],
      ["files:a", "files:b"],
      ["files:a"],
      ["files:a", "files:b"],
      ["files:a"],
    ]);
    expect(
      locks("notes")
        .flat()
        .some((key) => locks("files").flat().includes(key)),
    ).toBe(false);
  });

  it("rejects a root that is missing, empty or not a folder, or an invalid maxBytes, and says what to do", async () => {
    await using fixture = await createFilesFixture();
    const file = join(fixture.root, "file");
    await writeFile(file, "");
    expect(() => createFilesCapabilities({ root: join(fixture.root, "nowhere") })).toThrow(
      /does not exist.*Create it, or correct `root`/,
    );
    expect(() => createFilesCapabilities({ root: file })).toThrow(/is not a folder\. Set `root`/);
    expect(() => createFilesCapabilities({ root: "" })).toThrow(/`root` is empty/);
    expect(() => createFilesCapabilities({ root: "a\0b" })).toThrow(/Create it, or correct `root`/);
    expect(() => createFilesCapabilities({ root: fixture.root, maxBytes: 0 })).toThrow(
      /`maxBytes` must be a whole number/,
    );
  });

  it("the root itself may be a link, resolved once at start", async () => {
    await using fixture = await createFilesFixture();
    const link = join(fixture.outside, "link");
    await symlink(fixture.root, link);
    await writeFile(join(fixture.root, "a.txt"), "inside");
    expect(openRoot("files", link).path).toBe(fixture.root);
    expect(
      await performCapability(createFilesCapabilities({ root: link })[0]!, { path: "a.txt" }),
    ).toMatchObject({
      content: "inside",
    });
  });
});
