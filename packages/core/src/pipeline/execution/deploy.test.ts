import { describe, expect, it } from "vitest";
import { createMailbox } from "../../../../../test/support/mailbox.ts";
import { testAgent } from "../../../../../test/support/test-pipeline.ts";
import { Catalog } from "../../capability/catalog.ts";
import { createUnavailableCapability } from "../../capability/unavailable-capability.ts";
import { admit } from "../admission/admit.ts";
import { advance as advanceOnce } from "../advance.ts";

describe("a deploy", () => {
  it("[P5] a call whose contract changed while it waited is not performed; its successor needs a new approval", async () => {
    const { ask, advance, decide, portsOf, store, world } = await createMailbox();
    const approved = await decide(await ask(), "approve");
    const after = await advance(approved, portsOf(2));
    expect(after.outcome).toEqual({ kind: "superseded", code: "contract-changed" });
    const next = store.calls().find(({ supersedes }) => supersedes === approved.call)!;
    expect(next).toMatchObject({ state: "asking", version: 2, approval: { votes: [] } });
    expect(world.effects).toEqual([]);
  });

  it("[P5] an old process skips a call of a newer contract; after a rollback it refuses the call without effect", async () => {
    const { ask, advance, clock, decide, load, portsOf, store, world } = await createMailbox({ version: 2 });
    const approved = await decide(await ask(), "approve");
    const met = await advanceOnce(approved, portsOf(1));
    expect(met).toMatchObject({ skipped: "contract-not-here", wakes: [] });
    expect(await load(approved)).toMatchObject({ state: "ready", epoch: approved.epoch });
    expect(await advance(approved, portsOf(2))).toMatchObject({ outcome: { kind: "succeeded" } });

    const stranded = await decide(await ask(), "approve");
    await clock.advance(15 * 60_000);
    expect(await advance(stranded, portsOf(1))).toMatchObject({
      outcome: { kind: "refused", code: "contract-changed" },
    });
    expect(world.effects).toHaveLength(1);
    expect(store.calls().filter(({ supersedes }) => supersedes !== undefined)).toEqual([]);
  });

  it("[P12] a call whose adapter is unavailable waits for it, and Paraph rejects new calls of it meanwhile", async () => {
    const { ask, advance, decide, load, portsOf, world } = await createMailbox();
    const approved = await decide(await ask(), "approve");
    const here = portsOf(1);
    const { contract } = here.catalog.find("acme", "mail.send")!;
    const message = "The mail server is away.";
    const catalog = new Catalog([
      createUnavailableCapability(contract, { code: "adapter-fault", message: message }),
    ]);
    const away = { ...here, catalog };
    expect(await advanceOnce(approved, away)).toMatchObject({ skipped: "capability-unavailable", wakes: [] });
    expect(await load(approved)).toMatchObject({ state: "ready", epoch: approved.epoch });
    const another = { principal: testAgent, capability: "mail.send", input: { to: "a", n: 1 } };
    await expect(admit(another, away)).rejects.toMatchObject({ code: "capability-unavailable" });
    expect(await advance(approved, here)).toMatchObject({ outcome: { kind: "succeeded" } });
    expect(world.effects).toHaveLength(1);
  });

  it("[P7] an old process leaves the lost attempt of a newer contract to a process that can probe it", async () => {
    const { ask, advance, decide, portsOf, store, world } = await createMailbox({ version: 2 });
    const approved = await decide(await ask(), "approve");
    const life = store.startProcess();
    world.hold = new Promise(() => {});
    void advanceOnce(approved, { ...portsOf(2), store: life });
    await expect.poll(() => world.effects.length).toBe(1);
    life.die();
    expect(await advance(approved, portsOf(1))).toMatchObject({ state: "performing" });
    world.there = "present";
    expect(await advance(approved, portsOf(2))).toMatchObject({ outcome: { kind: "succeeded" } });
    expect(world.effects).toHaveLength(1);
  });

  it("[P2] processes with different contracts under one version do not pass a call back and forth", async () => {
    const { ask, advance, decide, portsOf, store } = await createMailbox();
    const [one, other] = [portsOf(1), portsOf(1, "the same, in other words")];
    const approved = await decide(await ask(), "approve");
    await advance(approved, other);
    const next = store.calls().find(({ supersedes }) => supersedes === approved.call)!;
    const again = await decide(next, "approve");
    expect(await advance(again, one)).toMatchObject({ state: "ready" });
    expect(await advance(again, other)).toMatchObject({ outcome: { kind: "succeeded" } });
    expect(store.calls()).toHaveLength(2);
  });
});
