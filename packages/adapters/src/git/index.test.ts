import type { Json } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { createGitFixture } from "./testing.ts";

describe("git", () => {
  it("gives its capabilities under the adapter's name", async () => {
    await using fixture = await createGitFixture();
    const facts = (await fixture.adapter.capabilities()).map(({ contract }) => [
      contract.name,
      contract.effect,
    ]);
    expect(facts).toEqual([
      ...["status", "diff", "log"].map((verb) => [`git.${verb}`, "read"]),
      ...["commit", "merge", "revert", "branch_create"].map((verb) => [`git.${verb}`, "write"]),
      ["git.branch_delete", "destroy"],
      ["git.tag_create", "write"],
      ["git.tag_delete", "destroy"],
    ]);
    await fixture.open({ remotes: { origin: { url: "https://example.org/x.git" } } });
    const more = (await fixture.adapter.capabilities()).slice(10).map(({ contract }) => contract.name);
    expect(more).toEqual(["git.fetch", "git.push", "git.push_force"]);
  });

  it("locks the repository for local writes, and only the remote branch for a push", async () => {
    await using fixture = await createGitFixture({
      remotes: { origin: { url: "https://example.org/x.git" } },
    });
    const locks = (verb: string, input: Json) => fixture.capability(verb).locks(input);
    expect(locks("commit", {})).toEqual(["git:git"]);
    expect(locks("merge", {})).toEqual(["git:git"]);
    expect(locks("push", { branch: "main" })).toEqual(["git:git:origin:main"]);
    expect(locks("push", { branch: "x", as: "main", remote: "origin" })).toEqual(["git:git:origin:main"]);
    expect(locks("push_force", { branch: "main" })).toEqual(["git:git:origin:main"]);
  });
});
